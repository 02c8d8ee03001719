import type { BodyReader, ServiceResponse } from './service-request.js';

declare const TextDecoder: new () => {
  decode(bytes: Uint8Array, options: { readonly stream: boolean }): string;
};
declare const setTimeout: (work: () => void, ms: number) => unknown;
declare const clearTimeout: (timer: never) => void;

/**
 * The text of an endless answer, as it comes. A loop that is left cancels the answer. It ends after
 * `hold` ms. An answer that ends by itself is an error.
 */
export async function* answerText(
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
    yield* decoded(reader);
    if (!isOver) throw new Error('the answer has ended');
  } finally {
    clearTimeout(timer as never);
    await reader.cancel();
  }
}

async function* decoded(reader: BodyReader): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await reader.read();
    if (done || !value) return;
    yield decoder.decode(value, { stream: true });
  }
}
