import type { WatchStatus } from './watch-signal.js';

/** A new status, and a signal for it if there is something to say. */
export interface StatusChange {
  readonly status: WatchStatus;
  readonly signals: readonly { readonly kind: 'status'; readonly status: WatchStatus }[];
}

/** Changes a status. It is told if the state changed or a poll failed; not for each further answer. */
export function changeStatus(
  before: WatchStatus,
  change: Pick<WatchStatus, 'state'> & Partial<WatchStatus>,
  now: number,
): StatusChange {
  const isSame = before.state === change.state;
  const status: WatchStatus = {
    lastAnswer: before.lastAnswer,
    attempt: 0,
    ...{ nextTry: undefined, error: undefined, hint: undefined },
    ...change,
    since: isSame ? before.since : now,
  };
  const hasFailed = change.nextTry !== undefined;
  return { status, signals: isSame && !hasFailed ? [] : [{ kind: 'status', status }] };
}

/**
 * The service has been holding a poll with an index for a while: it has nothing new, and all is well. The number of failures
 * stays, since only an answer ends the backoff. Undefined if there is nothing to change.
 */
export function changeStatusOfHeld(
  { status, isStalled }: { readonly status: WatchStatus; readonly isStalled: boolean },
  now: number,
): StatusChange | undefined {
  if (isStalled || status.state === 'live') return undefined;
  return changeStatus(status, { state: 'live', attempt: status.attempt }, now);
}
