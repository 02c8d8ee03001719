import { NEVER, type Observable } from 'rxjs';

/** A minimal answer of a watch. */
export interface Answer {
  readonly events: readonly string[];
  readonly watch: { readonly index: string };
}

export const answer = (index: string, ...events: string[]): Answer => ({ events, watch: { index } });

export const read = ({ events }: Answer) => ({ isEmpty: events.length === 0 });

/**
 * A poll that returns the given answers one after the other. `asked` has the index of each call.
 */
export function script(...answers: readonly Observable<Answer>[]) {
  const asked: (string | undefined)[] = [];
  const poll = (index: string | undefined) => {
    asked.push(index);
    return answers[asked.length - 1] ?? NEVER;
  };
  return { asked, poll };
}
