import type { WatchStatus } from './watch-status.js';

/**
 * The status that follows, and the signal that tells it. A change of state is told, and each failure; a further answer
 * while `live` is not, since nothing about it is new.
 */
export function toStatus(
  before: WatchStatus,
  change: Pick<WatchStatus, 'state'> & Partial<WatchStatus>,
  now: number,
): { readonly status: WatchStatus; readonly signals: readonly { kind: 'status'; status: WatchStatus }[] } {
  const isSame = before.state === change.state;
  const status: WatchStatus = {
    lastAnswer: before.lastAnswer,
    attempt: 0,
    nextTry: undefined,
    error: undefined,
    ...change,
    since: isSame ? before.since : now,
  };
  return { status, signals: isSame && status.attempt === 0 ? [] : [{ kind: 'status', status }] };
}
