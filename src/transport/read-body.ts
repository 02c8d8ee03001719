import { BodyTooLarge } from './body-too-large.js';
import type { FetchLikeResponse } from './fetch-like.js';

declare const TextDecoder: new () => {
  decode(bytes?: Uint8Array, options?: { stream: boolean }): string;
};

/** The body of an answer as text, of `maxBody` bytes at the most, whatever the answer says of its own length. */
export async function readBody(response: FetchLikeResponse, maxBody: number): Promise<string> {
  const reader = readerOf(response.body);
  if (!reader) {
    const text = await response.text();
    if (text.length > maxBody) throw new BodyTooLarge(maxBody);
    // Other fetches leave a byte order mark out; node-fetch does not, and JSON knows none.
    return text.replace(/^\ufeff/, '');
  }
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > maxBody) throw new BodyTooLarge(maxBody);
    text += decoder.decode(value, { stream: true });
  }
}

interface Reader {
  read(): Promise<{ done: true; value?: undefined } | { done: false; value: Uint8Array }>;
}

/** A fetch that streams hands out a reader; cross-fetch in Node does not, and keeps the limit itself. */
function readerOf(body: unknown): Reader | undefined {
  return (body as { getReader?(): Reader } | null | undefined)?.getReader?.();
}
