import { BlockList, isIP } from 'node:net';

export interface ScreenOptions {
  /** A switch for development: loopback is called, and nothing else that is refused otherwise. */
  readonly allowLoopback: boolean;
}

/** IANA special-purpose registry, and multicast: everything that is not the public internet. */
const refused4 = subnets('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);
const loopback4 = subnets('ipv4', ['127.0.0.0/8']);

/** What is given out to the public; all of IPv6 beside it is link-local, unique-local, multicast or reserved. */
const global6 = subnets('ipv6', ['2000::/3']);
/** Protocol assignments with Teredo, documentation, 6to4, documentation: the last two hide other addresses or nobody. */
const refused6 = subnets('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);
/** Forms of an IPv4 address: mapped, NAT64. */
const carrying4 = subnets('ipv6', ['::ffff:0:0/96', '64:ff9b::/96']);

/** Whether an address, as a resolver gives it, may be called (docs/spec/background.md §9.5). What is no address may not. */
export function isPublicAddress(address: string, { allowLoopback }: ScreenOptions): boolean {
  const family = isIP(address);
  if (family === 4) return isPublic4(address, allowLoopback);
  // A zone names an interface of this machine: only link-local addresses have one.
  if (family !== 6 || address.includes('%')) return false;
  if (carries4(address)) return isPublic4(carried4(address), allowLoopback);
  if (allowLoopback && canonical6(address) === '::1') return true;
  return global6.check(address, 'ipv6') && !refused6.check(address, 'ipv6');
}

function isPublic4(address: string, allowLoopback: boolean): boolean {
  return !refused4.check(address, 'ipv4') || (allowLoopback && loopback4.check(address, 'ipv4'));
}

function carries4(address: string): boolean {
  return carrying4.check(address, 'ipv6');
}

/** The last 32 bits. */
function carried4(address: string): string {
  const [high = '', low = ''] = canonical6(address).split(':').slice(-2);
  const bits = Number.parseInt(high || '0', 16) * 65_536 + Number.parseInt(low || '0', 16);
  return [24, 16, 8, 0].map((shift) => Math.floor(bits / 2 ** shift) % 256).join('.');
}

/** Hexadecimal groups, shortened, as a URL writes them. */
function canonical6(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

function subnets(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix = ''] = range.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
