import { isIPv6 } from 'node:net';

/**
 * The networks of an address, the smallest first: of IPv6, the /64, /56 and /48 that it is in, because providers give each customer
 * one of these; otherwise the address itself.
 */
export function networksOf(address: string): readonly [smallest: string, ...larger: string[]] {
  const ip = address.split('%', 1)[0]!;
  if (!isIPv6(ip)) return [address];
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip) ?? [];
  if (mapped !== undefined) return [mapped];
  // The last part may be an IPv4 address, which takes the place of two groups.
  const [head = '', tail] = ip.replace(/\d+\.\d+\.\d+\.\d+$/, '0:0').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  const first64Bits = groups
    .slice(0, 4)
    .map(group => group.padStart(4, '0').toLowerCase())
    .join('');
  return [`${first64Bits}/64`, `${first64Bits.slice(0, 14)}/56`, `${first64Bits.slice(0, 12)}/48`];
}
