import type { WatchSignal } from './watch-signal.js';
import type { WatchState } from './watch-state.js';

/** What a poll's outcome comes to: what to tell, what to remember, and how to go on. */
export interface Turn<A> {
  readonly signals: readonly WatchSignal<A>[];
  readonly state: WatchState<A>;
  /** How long to wait before the next poll, in ms. */
  readonly wait: number;
  /** Whether the service asked for that wait, so that no wake may cut it short. */
  readonly asked: boolean;
  /** The answer to be acknowledged before the state may be taken over. */
  readonly toAck?: { readonly answer: A };
  /** The error that the watch ends with. */
  readonly end?: { readonly error: unknown };
}
