import type { Instant } from '../timing/index.js';
import type { Polled } from '../poll.js';
import type { AckDecision } from '../watch-config.js';
import type { ResumePoint } from '../resume-point.js';
import type { Checkpoint, Gap, PollEnd, WatchSignal } from '../watch-signal.js';
import type { Pace } from '../kept-paces.js';
import type { WatchSettings } from '../watch-settings.js';
import { firstPace } from './pace.js';
import { firstPosition, type Position } from './position.js';
import { firstHealth, type Health } from './status.js';

/** The state of a watch between two polls. Each part owns its rules. */
export interface WatchState {
  readonly position: Position;
  readonly pace: Pace;
  readonly health: Health;
  /** When the last poll was sent. */
  readonly askedAt: Instant;
  /** The connections of earlier polls may be dead. */
  readonly needsFreshConnection: boolean;
}

/** What happens to a poll, or to the wait for it. */
export type WatchEvent<A> =
  /** It waits for the quota until about then, on the monotonic clock. */
  | { readonly kind: 'waiting'; readonly until: number }
  /** It is being sent; the service has been holding it for a while. It goes on. */
  | { readonly kind: 'sent' | 'held' }
  /** It began to arrive at some time; by default, it has only just done so. */
  | ({ readonly kind: 'answer'; readonly arrivedAt?: Instant | undefined } & Polled<A>)
  /** It completed without an answer. */
  | { readonly kind: 'completed' }
  /** It was not answered in time. */
  | { readonly kind: 'timeout'; readonly wasSent?: boolean }
  | PollFailure
  /**
   * The machine woke; the last subscriber of a feed left; one came back. `wasSent`: it has ended a
   * poll that had been sent.
   */
  | { readonly kind: Interruption; readonly wasSent?: boolean }
  /** What was held for the next subscriber is expired. */
  | { readonly kind: 'expired' }
  /** An answer was delivered, but `ack` failed; or it has decided how to go on. */
  | { readonly kind: 'unacknowledged'; readonly error: unknown; readonly acknowledging: Transition<A> }
  | { readonly kind: 'decided'; readonly decision: AckDecision; readonly acknowledging: Transition<A> };

/** A poll failed, or could not even be sent. */
export interface PollFailure {
  readonly kind: 'failure';
  readonly error: unknown;
  /**
   * How long it had been on its way, in ms, when an answer began to arrive or, without one, when it
   * failed.
   */
  readonly heldFor: number;
  /** The body of an answer had begun to arrive. */
  readonly hasArrived?: boolean;
  /** It had been sent: the service may have answered it. */
  readonly wasSent?: boolean;
}

/**
 * What interrupts a poll, or the wait for it: the machine woke; the last subscriber of a feed left;
 * one came back. A page that goes offline or online interrupts neither.
 */
export type Interruption = 'woken' | 'left' | 'returned' | 'offline' | 'online';

/** When it happens. */
export interface Moment {
  readonly now: Instant;
  /** The number of watches of this process that may send their polls at once. */
  readonly openWatches: number;
}

/** What a transition depends on, besides the event. */
export interface Turn<A> extends Moment {
  readonly state: WatchState;
  readonly settings: WatchSettings<A>;
}

/** What an event leads to: the signals to emit, the next state, and how to continue. */
export interface Transition<A> {
  readonly signals: readonly WatchSignal<never>[];
  readonly state: WatchState;
  /** Absent if the poll goes on. */
  readonly why?: PollEnd | undefined;
  /** What has to happen before the next state takes effect. */
  readonly delivery?: Delivery<A> | undefined;
  /** How the watch ends, if it does. */
  readonly end?: WatchEnd | undefined;
}

export type WatchEnd = { readonly kind: 'complete' } | { readonly kind: 'error'; readonly error: unknown };

/** An answer on its way to the subscriber. */
export interface Delivery<A> {
  /**
   * What `ack` gets: the answer, its checkpoint, and the gap before it, even if that has been
   * emitted earlier.
   */
  readonly answer: A;
  readonly checkpoint: Checkpoint;
  readonly gap: Gap | undefined;
  /**
   * What is emitted: the gap, unless it has been, then the answer or, if it has no news, the
   * checkpoint.
   */
  readonly signals: readonly WatchSignal<A>[];
}

const NEVER: Instant = { at: -Infinity, monotonic: -Infinity };

/** The state before the first poll. */
export function firstState(now: Instant, from: ResumePoint | undefined, retention: number): WatchState {
  return {
    position: firstPosition(now, from, retention),
    pace: firstPace(now),
    health: firstHealth(now, from?.at),
    askedAt: NEVER,
    needsFreshConnection: false,
  };
}

/** A transition to a state with another health. */
export function transitionOf(
  state: WatchState,
  { health, signals }: Pick<Transition<never>, 'signals'> & Pick<WatchState, 'health'>,
  why?: PollEnd,
): Transition<never> {
  return { why, signals, state: { ...state, health } };
}
