import { backoffDelay } from './backoff-delay.js';
import { settleNothing } from './settle-nothing.js';
import { toStatus } from './to-status.js';
import type { Turn } from './turn.js';
import type { Verdict } from '../protocol/index.js';
import type { WatchSettings } from './watch-settings.js';
import type { WatchState } from './watch-state.js';

/** So many failures in a row that the index may be the cause of, and it is dropped. */
const SUSPECTS = 5;

/** The longest that a service may ask to wait, in ms: its own rate limits count in windows of 15 minutes. */
const LONGEST_WAIT = 900_000;

/** A poll failed: go on, go on without the index, or end, as the verdict says. */
export function settleFailure<A>(
  state: WatchState<A>,
  error: unknown,
  verdict: Verdict,
  settings: WatchSettings<A>,
): Turn<A> {
  const now = settings.scheduler.now();
  if (verdict.kind === 'idle') return settleNothing(state, undefined, settings);
  if (verdict.kind === 'end' || (verdict.kind === 'refused' && state.index === undefined)) {
    const { status, signals } = toStatus(state.status, { state: 'closed', error }, now);
    return { signals, state: { ...state, status }, wait: 0, why: 'ended', end: { error } };
  }

  const { after, suspect = false, offline = false } = verdict.kind === 'retry' ? verdict : {};
  const suspects = suspect ? state.suspects + 1 : 0;
  const isDropped = state.index !== undefined && (verdict.kind === 'refused' || suspects >= SUSPECTS);

  const attempt = state.status.attempt + 1;
  const jitter = backoffDelay(attempt, settings.backoff, settings.random);
  const wait = after === undefined ? jitter : Math.min(after, LONGEST_WAIT) + Math.min(jitter, LONGEST_WAIT);
  const { status, signals } = toStatus(
    state.status,
    { state: offline ? 'offline' : 'retrying', attempt, nextTry: now + wait, error },
    now,
  );
  return {
    signals,
    state: {
      ...state,
      index: isDropped ? undefined : state.index,
      gap: isDropped ? { reason: 'index_refused', index: state.index } : state.gap,
      suspects: isDropped ? 0 : suspects,
      status,
    },
    wait,
    why: after === undefined ? 'failed' : 'asked',
  };
}
