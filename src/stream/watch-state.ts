import type { Gap } from './gap.js';
import type { WatchStatus } from './watch-status.js';
import type { WatchSettings } from './watch-settings.js';

/** What a watch remembers between two polls. */
export interface WatchState<A> {
  /** What the next poll sends; absent where the service is to begin from now. */
  readonly index: string | undefined;
  /** A moment that the index is not older than, in ms since 1970: the service knows it only for so long. */
  readonly indexAt: number | undefined;
  /** The last answer that brought something, to know its repetition by. */
  readonly previous: A | undefined;
  /** Why the next answer does not join on to the last; told right before it, so that a reload meets a service that answers. */
  readonly gap: Pick<Gap, 'reason' | 'index'> | undefined;
  /** How many polls in a row failed in a way that the index may be the cause of. */
  readonly suspects: number;
  /** Up to when the polls so far have used up their share; see `pace`. */
  readonly busyUntil: number;
  readonly status: WatchStatus;
}

/** What a watch knows before its first poll. */
export function watchState<A>({ from, scheduler }: WatchSettings<A>): WatchState<A> {
  const now = scheduler.now();
  return {
    index: from?.index,
    indexAt: from?.at,
    previous: undefined,
    gap: from && from.index === undefined ? { reason: 'index_missing', index: undefined } : undefined,
    suspects: 0,
    busyUntil: now,
    status: {
      state: 'connecting',
      since: now,
      lastAnswer: from?.at,
      attempt: 0,
      nextTry: undefined,
      error: undefined,
    },
  };
}
