import { isIPv6 } from 'node:net';

/**
 * An address in the form that addresses are compared in. It has no port. An IPv4 address is written
 * as IPv4, although a server that listens on both gets it in IPv6's form.
 */
export function plainAddress(addressAndPort: string): string {
  const text = addressAndPort.trim();
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? [];
  const address = bracketed ?? text;
  const [, v4] = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?$/i.exec(address) ?? [];
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/i.exec(address) ?? [];
  if (high === undefined || low === undefined) return v4 ?? address;
  return [high, low].flatMap(group => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255]).join('.');
}

/**
 * The networks of an address, the smallest first. Of IPv6, these are its /64, /56 and /48, because
 * providers give each customer one of these. Of other addresses, it is the address itself.
 */
export function networksOf(address: string): readonly [smallest: string, ...larger: string[]] {
  const plain = plainAddress(address);
  const ip = plain.split('%', 1)[0]!;
  if (!isIPv6(ip)) return [plain];
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
