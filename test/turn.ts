import type { Recovery } from '../src/error/index.js';
import { nextTurn } from '../src/stream/next-turn.js';
import { watchSettings, type WatchSettings } from '../src/stream/watch-config.js';
import { firstState, type WatchEvent, type Turn, type WatchState } from '../src/stream/watch-state.js';
import { isIdle, type Answer } from './poll-script.js';

/** The laws with all defaults, and jitter of one half. */
export const laws: WatchSettings<Answer> = watchSettings<Answer>({ isIdle, testing: { random: () => 0.5 } });

/** A moment on a wall clock and a monotonic clock; they agree unless the second one is given. */
export const when = (at: number, monotonic = at) => ({ at, monotonic });

/** A live watch whose poll was sent at 0, with these changes. */
export function stateWith(change: Partial<WatchState> = {}): WatchState {
  const state = { ...firstState(when(0), undefined, laws.retention), askedAt: when(0) };
  return { ...state, status: { ...state.status, state: 'live', lastAnswer: 0 }, ...change };
}

/** The turn after this, on two clocks that agree unless `at` has both. */
export function turn(
  state: WatchState,
  event: WatchEvent<Answer>,
  at: number | { readonly at: number; readonly monotonic: number } = 0,
  by = laws,
): Turn<Answer> {
  const now = typeof at === 'number' ? when(at) : at;
  return nextTurn(state, event, { now, openWatches: 1 }, by);
}

/** The turn after a failure with this recovery. */
export const failed = (state: WatchState, recovery: Recovery, at = 0) =>
  turn(state, { kind: 'failure', error: 'down' }, at, { ...laws, recovery: () => recovery });

export const got = (answer: Answer, text?: string): WatchEvent<Answer> => ({
  ...{ kind: 'answer', answer },
  ...(text !== undefined && { text }),
});

/** The state in which a poll is sent at this time. */
export const sent = (state: WatchState, at: number, by = laws): WatchState =>
  turn(state, { kind: 'sent' }, at, by).state;
