import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCardRef, parseCardRef } from '#contract/cards/reference.ts';
import { parseDuration } from '#contract/cards/trigger.ts';
import { isExtractable, mediaFormats, mimeTypes, nativeKinds, toMediaFormat } from '#contract/formats.ts';
import * as ids from '#contract/ids.ts';

const uuid = '01900000-0000-7000-8000-00000000000a';

describe('ids', () => {
  it.each<[(text: string) => unknown, string, string[], string[]]>([
    [ids.isUuidV7, 'uuid', [uuid], [uuid.toUpperCase(), uuid.replace('-7', '-4'), `${uuid}\n`, '']],
    [ids.isUploadId, 'upload', [`wyu_${uuid}`], [uuid, `wyu_${uuid.slice(1)}`]],
    [ids.isTraceId, 'trace', ['0af7651916cd43dd8448eb211c80319c'], ['0'.repeat(32), 'A'.repeat(32), 'a'.repeat(31)]],
    [ids.isGroupId, 'group', ['order-77', 'é'.repeat(128)], ['', 'a b', 'a\u0007', 'é'.repeat(129), '\ud800']],
    [ids.isRunId, 'run', ['r', 'x'.repeat(256)], ['', 'x'.repeat(257)]],
    [ids.isIdempotencyKey, 'key', ['12345678'], ['1234567', '1234 5678', 'x'.repeat(257)]],
    [ids.isFullVersion, 'version', ['1.0.0', '1.2.3-rc.1+b'], ['1', '1.2', '01.0.0', '1.0.0 ', 'v1.0.0']],
    [ids.isVersionLine, 'line', ['1', '1.2', '0'], ['1.2.3', '01', '']],
    [ids.isRelativePath, 'path', ['a', 'a/b.c', '...'], ['', '/a', 'a/', 'a//b', '../a', 'a/./b', 'a\\b', 'ä']],
    [ids.isComponentAlias, 'alias', ['agent', '_x'], [ids.ownerOccurrence, '1a', 'a b']],
  ])('%#', (check, _, accepted, refused) => {
    expect(accepted.filter((text) => !check(text))).toEqual([]);
    expect(refused.filter((text) => check(text))).toEqual([]);
  });

  it('brings a trace id of any case to its stored form', () => {
    expect(ids.toTraceId('0AF7651916CD43DD8448EB211C80319C')).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(ids.toTraceId('0'.repeat(32))).toBeUndefined();
  });
});

describe('Card references as text', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9_-]{2,20}$/);
  const reference = fc.record(
    {
      kind: fc.constantFrom('Verifier' as const, 'Agent' as const),
      name,
      version: fc.constant('1.2.3'),
      space: name,
      uid: fc.constant(uuid),
    },
    { requiredKeys: ['kind', 'name', 'version'] },
  );

  it('come back as they were written', () => {
    fc.assert(
      fc.property(reference, (ref) => {
        expect(parseCardRef(formatCardRef(ref))).toEqual(ref);
      }),
    );
  });

  it.each([
    '',
    'Verifier/tone',
    'Verifier/tone@1',
    'Nothing/tone@1.0.0',
    'a/b/Verifier/tone@1.0.0',
    'Verifier/tone@1.0.0#x',
  ])('refuse %j', (text) => expect(parseCardRef(text)).toBeUndefined());
});

describe('formats', () => {
  it('are read from names, extensions and MIME types of any case', () => {
    for (const format of mediaFormats) {
      expect(toMediaFormat(format)).toBe(format);
      expect(toMediaFormat(` ${mimeTypes[format].toUpperCase()} `)).toBe(format);
    }
    const aliases = {
      jpg: 'jpeg',
      TXT: 'text',
      md: 'markdown',
      htm: 'html',
      tgz: 'tar_gz',
      'tar.gz': 'tar_gz',
      'application/x-tar+gzip': 'tar_gz',
      'application/x-zip-compressed': 'zip',
    };
    for (const [alias, format] of Object.entries(aliases)) expect(toMediaFormat(alias)).toBe(format);
    for (const other of ['', 'exe', 'text/plain; charset=utf-8', 'constructor', '.pdf'])
      expect(toMediaFormat(other)).toBeUndefined();
  });

  it('are native or extractable as the specification says', () => {
    expect(mediaFormats.filter((format) => nativeKinds[format] === 'image')).toEqual(['png', 'jpeg', 'gif', 'webp']);
    expect(mediaFormats.filter((format) => nativeKinds[format] === 'document')).toEqual(['pdf', 'text']);
    expect(mediaFormats.filter(isExtractable)).toHaveLength(9);
  });
});

describe('durations', () => {
  it('are positive and at most a year', () => {
    expect(parseDuration('30m')).toBe(1800);
    expect(parseDuration('365d')).toBe(31_536_000);
    for (const text of ['366d', '31536001s', '0s', '01m', '1w', '', '1.5h'])
      expect(parseDuration(text)).toBeUndefined();
  });
});
