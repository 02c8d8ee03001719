import { fromFetch, type Transport } from 'lobby-rx';
import { fromHttp } from 'lobby-rx/node';

/** The two transports of Node, which promise the same. */
export const IN_NODE: readonly (readonly [string, () => Transport])[] = [
  ['cross-fetch', fromFetch],
  ['node:http', fromHttp],
];

/** The bytes of an answer with a body of this length. */
export const ok200 = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
