import { fromGuard } from '../protocol/index.js';

/** What RFC 6455 lets a server close a WebSocket with. */
const SENDABLE: readonly (readonly [number, number])[] = [
  [1000, 1003],
  [1007, 1014],
  [3000, 4999],
];

/** The code that a socket is closed with, as an argument. */
export const closeCode = fromGuard(
  'a close code: 1000 to 1003, 1007 to 1014, or 3000 to 4999',
  (u): u is number =>
    Number.isInteger(u) && SENDABLE.some(([least, most]) => least <= (u as number) && (u as number) <= most),
);
