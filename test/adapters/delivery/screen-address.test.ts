import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createDeliver } from '#adapters/delivery/deliver.ts';
import { isPublicAddress } from '#adapters/delivery/screen-address.ts';
import { systemClock } from '#adapters/embedded/system.ts';

const table = parse(readFileSync('test/adapters/delivery/addresses.yaml', 'utf8')) as Readonly<
  Record<'refused' | 'loopback' | 'called' | 'hosts_refused', readonly string[]>
>;

const strict = { allowLoopback: false };
const development = { allowLoopback: true };

describe('screening of addresses (docs/spec/background.md §9.5)', () => {
  it.each(table.refused)('%s is never called', (address) => {
    expect([isPublicAddress(address, strict), isPublicAddress(address, development)]).toEqual([false, false]);
  });

  it.each(table.loopback)('%s is called under the development switch alone', (address) => {
    expect([isPublicAddress(address, strict), isPublicAddress(address, development)]).toEqual([false, true]);
  });

  it.each(table.called)('%s is called', (address) => {
    expect(isPublicAddress(address, strict)).toBe(true);
  });

  it.each(table.hosts_refused)('%s is refused without a call', async (url) => {
    let exchanges = 0;
    const deliver = createDeliver({
      ...strict,
      clock: systemClock,
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      exchange: async () => {
        exchanges += 1;
        throw new Error('called');
      },
    });
    const request = { method: 'GET', url, headers: {}, body: null, timeout_ms: 5_000, expect_status: null };
    expect(await deliver.send(request, new AbortController().signal)).toEqual({ kind: 'rejected' });
    expect(exchanges).toBe(0);
  });

  it('judges an IPv4 address and the IPv6 forms that carry it alike', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom(strict, development), (address, options) => {
        const known = isPublicAddress(address, options);
        expect(isPublicAddress(`::ffff:${address}`, options)).toBe(known);
        expect(isPublicAddress(`64:ff9b::${address}`, options)).toBe(known);
      }),
    );
  });

  it('never lets a text through that is no address', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/^[\d.]+$|:/.test(text));
        expect(isPublicAddress(text, development)).toBe(false);
      }),
    );
  });
});
