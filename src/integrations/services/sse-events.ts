import { answerText } from './answer-text.js';
import type { ServiceResponse } from './service-request.js';

/** A server-sent event. */
export interface SseEvent {
  /** The last `id` of this answer. `undefined` if there was none yet. */
  readonly id: string | undefined;
  /** Default `message`. */
  readonly type: string;
  readonly data: string;
}

/**
 * The server-sent events of an endless answer. Those that have come together are one value. A poll
 * reads the first value, and lets go: a loop that is left cancels the answer. It ends after `hold`
 * ms, which means that nothing is new. An answer that ends by itself is an error.
 *
 * @example
 * for await (const events of sseEvents(response, 50_000)) return { events };
 */
export async function* sseEvents(
  response: Pick<ServiceResponse, 'body'>,
  hold: number,
): AsyncGenerator<readonly SseEvent[]> {
  let rest = '';
  let id: string | undefined;
  for await (const text of answerText(response, hold)) {
    // The line feed after a carriage return may be in the next part.
    const blocks = (rest + text).replace(/\r\n|\r(?!$)/g, '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    const events: SseEvent[] = [];
    for (const block of blocks) {
      const fields = fieldsOf(block);
      id = valuesOf('id', fields).at(-1) ?? id;
      const data = valuesOf('data', fields);
      const type = valuesOf('event', fields).at(-1) ?? 'message';
      if (data.length > 0) events.push({ id, type, data: data.join('\n') });
    }
    if (events.length > 0) yield events;
  }
}

type Field = readonly [name: string, value: string];

/** The fields of an event. Comments have no name. */
function fieldsOf(block: string): readonly Field[] {
  return block.split('\n').map(line => {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    return [name, value];
  });
}

function valuesOf(name: string, fields: readonly Field[]): readonly string[] {
  return fields.filter(([other]) => other === name).map(([, value]) => value);
}
