import { answerText } from './answer-text.js';
import type { ServiceResponse } from './service-request.js';

/**
 * The lines of an endless answer, as they come. A poll reads up to what is new, and lets go: a loop
 * that is left cancels the answer. The lines end after `hold` ms, which means that nothing is new.
 * An answer that ends by itself is an error.
 *
 * @example
 * for await (const line of linesOf(response, 50_000)) if (isNews(line)) return line;
 */
export async function* linesOf(
  response: Pick<ServiceResponse, 'body'>,
  hold: number,
): AsyncGenerator<string> {
  let rest = '';
  for await (const text of answerText(response, hold)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter(line => line.trim() !== '');
  }
}
