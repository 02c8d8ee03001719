import type { BodyReader, ServiceResponse } from './service-request.js';

declare const TextDecoder: new () => {
  decode(bytes: Uint8Array, options: { readonly stream: boolean }): string;
};
declare const setTimeout: (work: () => void, ms: number) => unknown;
declare const clearTimeout: (timer: never) => void;

/**
 * The lines of an endless answer, as they come. A poll reads up to what is new, and lets go: a loop
 * that is left cancels the answer. The lines end after `hold` ms, which means that nothing is new.
 * An answer that ends by itself is an error.
 *
 * @example
 * for await (const line of linesOf(response, 50_000)) if (isNews(line)) return line;
 */
export async function* linesOf(
  { body }: Pick<ServiceResponse, 'body'>,
  hold: number,
): AsyncGenerator<string> {
  if (!body) throw new Error('an answer without a body');
  const reader = body.getReader();
  let isOver = false as boolean;
  const timer = setTimeout(() => {
    isOver = true;
    void reader.cancel();
  }, hold);
  try {
    yield* splitLines(reader);
    if (!isOver) throw new Error('the answer has ended');
  } finally {
    clearTimeout(timer as never);
    await reader.cancel();
  }
}

async function* splitLines(reader: BodyReader): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done || !value) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter(line => line.trim() !== '');
  }
}
