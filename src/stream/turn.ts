import type { Checkpoint } from './checkpoint.js';
import type { WatchSignal } from './watch-signal.js';
import type { WatchState } from './watch-state.js';

/** What a poll's outcome comes to: what to tell, what to remember, and how to go on. */
export interface Turn<A> {
  readonly signals: readonly WatchSignal<A>[];
  readonly state: WatchState<A>;
  /** How long to wait before the next poll, in ms. */
  readonly wait: number;
  /** Why it waits; a wait that the service `asked` for is cut short by no wake. */
  readonly why: 'start' | 'news' | 'nothing' | 'failed' | 'asked' | 'woke' | 'ack' | 'ended';
  /** The answer to be acknowledged before the state may be taken over. */
  readonly toAck?: { readonly answer: A; readonly checkpoint: Checkpoint };
  /** The error that the watch ends with. */
  readonly end?: { readonly error: unknown };
}
