import { NEVER, type Observable } from 'rxjs';

/** An answer as watches have them, in the smallest form. */
export interface Answer {
  readonly events: readonly string[];
  readonly watch: { readonly index: string };
}

export const answer = (index: string, ...events: string[]): Answer => ({ events, watch: { index } });

export const isIdle = ({ events }: Answer) => events.length === 0;

/** A poll that goes through the given answers, one each time it is asked, and notes the index it was asked with. */
export function script(...answers: readonly Observable<Answer>[]) {
  const asked: (string | undefined)[] = [];
  const poll = (index: string | undefined) => {
    asked.push(index);
    return answers[asked.length - 1] ?? NEVER;
  };
  return { asked, poll };
}
