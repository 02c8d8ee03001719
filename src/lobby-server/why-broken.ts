import type { SocketClosed } from './socket-closed.js';

/** The close codes that ws answers a broken protocol with; 1002 where it is none of these. */
const CODES: Readonly<Record<string, number>> = {
  WS_ERR_INVALID_UTF8: 1007,
  WS_ERR_TOO_MANY_BUFFERED_PARTS: 1008,
  WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH: 1009,
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 1009,
};

/** What ws ends a socket for at an error; undefined where the connection just broke. */
export function whyBroken(error: NodeJS.ErrnoException): SocketClosed | undefined {
  const { code = '' } = error;
  return code.startsWith('WS_ERR_') ? { code: CODES[code] ?? 1002, reason: code } : undefined;
}
