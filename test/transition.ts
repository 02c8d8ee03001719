import {
  firstState,
  transition,
  type Transition,
  type WatchEvent,
  type WatchState,
} from '../src/stream/transition/index.js';
import type { Health, Pace, Position } from '../src/stream/transition/watch-state.js';
import { watchSettings, type WatchSettings } from '../src/stream/watch-settings.js';
import type { OwnReading, WatchConfig } from '../src/stream/index.js';
import { cursorArgument, type Recovery } from '../src/error/index.js';
import { read, type Answer } from './poll-script.js';

/** The laws of a client's watches with all defaults, and jitter of one half. */
export const laws: WatchSettings<Answer> = lawsOf({});

/** The same, with other options. */
export function lawsOf(config: WatchConfig<Answer>, reading: OwnReading<Answer> = {}): WatchSettings<Answer> {
  return watchSettings<Answer>(
    {
      isState: true,
      retention: 300_000,
      testing: { random: () => 0.5 },
      ...config,
      read: answer => ({ ...read(answer), ...config.read?.(answer) }),
    },
    { isIndex: cursorArgument.is, reading },
  );
}

/** A moment on a wall clock and a monotonic clock; they agree unless the second one is given. */
export const when = (at: number, monotonic = at) => ({ at, monotonic });

/** A state whose parts are spread out, since their names differ. */
export type FlatState = Omit<WatchState, 'position' | 'pace' | 'health'> & Position & Pace & Health;

export type FlatTransition = Omit<Transition<Answer>, 'state'> & { readonly state: FlatState };

export const flat = ({ position, pace, health, ...others }: WatchState): FlatState => ({
  ...others,
  ...position,
  ...pace,
  ...health,
});

const partsOf = (state: FlatState): WatchState => {
  const { index, indexAt, contactAt, gapAt, isAgeUnknown, key, due, paidUntil, rest, attempt } = state;
  const { quick, echoed, content, handle, mixUps, indexless } = state;
  const { status, heldAfter, isAnswered, isProved, isOffline, isSure, askedAt, needsFreshConnection } = state;
  return {
    position: {
      index,
      indexAt,
      contactAt,
      gapAt,
      isAgeUnknown,
      key,
      quick,
      echoed,
      content,
      handle,
      mixUps,
      indexless,
      due,
    },
    pace: { paidUntil, rest, attempt },
    health: { status, heldAfter, isAnswered, isProved, isOffline, isSure },
    askedAt,
    needsFreshConnection,
  };
};

/** A live watch whose poll was sent at 0, with these changes. */
export function stateWith(change: Partial<FlatState> = {}): FlatState {
  const state = { ...flat(firstState(when(0), undefined, laws.retention)), askedAt: when(0) };
  return { ...state, status: { ...state.status, state: 'live', lastAnswer: 0 }, ...change };
}

/** What happens in a test. What follows an answer has a turn whose state is spread out. */
export type FlatEvent =
  | Exclude<WatchEvent<Answer>, { kind: 'unacknowledged' | 'decided' }>
  | (Omit<Extract<WatchEvent<Answer>, { kind: 'unacknowledged' }>, 'acknowledging'> & {
      readonly acknowledging: FlatTransition;
    })
  | (Omit<Extract<WatchEvent<Answer>, { kind: 'decided' }>, 'acknowledging'> & {
      readonly acknowledging: FlatTransition;
    });

/** The turn after this, on two clocks that agree unless `at` has both. */
export function turn(
  state: FlatState,
  flatEvent: FlatEvent,
  at: number | { readonly at: number; readonly monotonic: number } = 0,
  by = laws,
  openWatches = 1,
): FlatTransition {
  const now = typeof at === 'number' ? when(at) : at;
  const event = (
    'acknowledging' in flatEvent
      ? {
          ...flatEvent,
          acknowledging: { ...flatEvent.acknowledging, state: partsOf(flatEvent.acknowledging.state) },
        }
      : flatEvent
  ) as WatchEvent<Answer>;
  const next = transition(partsOf(state), event, { now, openWatches }, by);
  return { ...next, state: flat(next.state) };
}

/**
 * The turn after a failure with this recovery, of a poll that was on its way since it was sent, or
 * for so long.
 */
export const failed = (
  state: FlatState,
  recovery: Recovery,
  at = 0,
  heldFor = at - state.askedAt.monotonic,
): FlatTransition =>
  turn(state, { kind: 'failure', error: 'down', heldFor }, at, { ...laws, recovery: () => recovery });

/** The turn after a poll that something between has cut off. */
export const cut = (state: FlatState, at = 0): FlatTransition =>
  failed(state, { kind: 'retry', mayBeCut: true }, at, Math.max(5_000, at - state.askedAt.monotonic));

export const got = (answer: Answer, text?: string): Extract<FlatEvent, { kind: 'answer' }> => ({
  kind: 'answer',
  answer,
  ...(text !== undefined && { text }),
});

/** The state in which a poll is sent at this time. */
export const sent = (state: FlatState, at: number, by = laws): FlatState =>
  turn(state, { kind: 'sent' }, at, by).state;
