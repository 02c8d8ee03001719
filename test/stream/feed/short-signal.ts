import type { WatchSignal } from 'lobby-rx';
import type { Answer } from '../../poll-script.js';

/** A signal in one word. An answer that has a checkpoint ends with a dot. */
export function shortSignal(part: WatchSignal<Answer> | string): string {
  if (typeof part === 'string') return `[${part}]`;
  switch (part.kind) {
    case 'answer':
      return `${part.answer.events.join('+')}${part.checkpoint ? '.' : ''}`;
    case 'gap':
      return part.gap.reason;
    case 'status':
      return part.status.state;
    case 'checkpoint':
      return part.kind;
  }
}

/** An answer as answers of one event each. */
export function singleEvents({ events, watch }: Answer): readonly Answer[] {
  return events.map(event => ({ events: [event], watch }));
}
