import { checkArgument, printable, redact, type Guard } from '../../../error/index.js';
import type { SocketClosed } from '../player-socket.js';

/** The ranges of close codes that RFC 6455 lets a server send. */
const SENDABLE_CODES: readonly (readonly [number, number])[] = [
  [1000, 1003],
  [1007, 1014],
  [3000, 4999],
];

/** How many bytes of UTF-8 a close frame has room for (RFC 6455, 5.5). */
const MAX_REASON_BYTES = 123;

const closeCode: Guard<number> = {
  name: 'a close code: 1000 to 1003, 1007 to 1014, or 3000 to 4999',
  is: (u): u is number =>
    Number.isInteger(u) && SENDABLE_CODES.some(([min, max]) => min <= (u as number) && (u as number) <= max),
};

const closeReason: Guard<string> = {
  name: `a string of at most ${MAX_REASON_BYTES} bytes`,
  is: (u): u is string => typeof u === 'string' && Buffer.byteLength(u) <= MAX_REASON_BYTES,
};

/**
 * Makes a reason for a close frame, or for the log, of a text from elsewhere. It is one line, short
 * enough, and without the secrets.
 */
export function toCloseReason(text: string, ...secrets: readonly string[]): string {
  const line = printable(redact(text, secrets));
  // The cut may leave half a character, which becomes a U+FFFD.
  const cut = Buffer.from(line).subarray(0, MAX_REASON_BYTES).toString();
  return cut === line ? line : cut.replace(/\ufffd$/, '');
}

/** Throws an `InputError` if a close frame cannot carry this code and reason. */
export function checkCloseFrame(code: number, reason: string): void {
  checkArgument('code', closeCode, code);
  checkArgument('reason', closeReason, reason);
}

/** The close codes that ws sends after protocol violations. For all others it sends 1002. */
const VIOLATIONS: Readonly<Record<string, number>> = {
  WS_ERR_INVALID_UTF8: 1007,
  WS_ERR_TOO_MANY_BUFFERED_PARTS: 1008,
  WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH: 1009,
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 1009,
};

/**
 * The close frame that ws itself sends after this error. `undefined` if the connection merely
 * broke.
 */
export function closeFrameAfter({ code = '' }: NodeJS.ErrnoException): SocketClosed | undefined {
  return code.startsWith('WS_ERR_') ? { code: VIOLATIONS[code] ?? 1002, reason: code } : undefined;
}
