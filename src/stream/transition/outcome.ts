import type { ReadAnswer } from '../reading.js';
import type { Instant } from '../timing/index.js';
import type { DueGap, WatchEnd } from './watch-state.js';

/** How a poll ended (law 4). Position, pace and status follow from it, in this order. */
export type Outcome<A> = Contact<A> | Echo | Cut | Failure | End;

/** The service was heard from. */
export interface Contact<A> {
  readonly kind: 'contact';
  readonly at: Instant;
  /** The answer, if it moves the position, and the gap before it. */
  readonly answered?: Answered<A>;
  readonly gap?: DueGap | undefined;
  /** An answer that only `ack` gets, and whether it is the last one. */
  readonly unmoved?: { readonly answer: A; readonly isClosed: boolean };
  readonly isOfAnotherLog?: boolean;
}

/** A cache may have answered. */
interface Echo {
  readonly kind: 'echo';
  /** The key of the answer, if it has another index than the one that was sent. */
  readonly key?: unknown;
}

/**
 * The poll was cut off, which says nothing about the service. `heldFor` is how long it had been
 * held, `spread` a wait that spreads the next polls out, and `retryAfter` the wait that was asked
 * for, all in ms.
 */
interface Cut {
  readonly kind: 'cut';
  readonly heldFor: number;
  readonly spread: number;
  readonly retryAfter?: number | undefined;
  readonly isTimeout?: boolean;
}

/** The poll has to be sent again after a backoff. */
export interface Failure {
  readonly kind: 'failure';
  readonly error?: unknown;
  /** What to check. */
  readonly hint?: string | undefined;
  readonly heldFor: number;
  readonly retryAfter?: number | undefined;
  readonly dropsIndex?: boolean | undefined;
  readonly offline?: boolean | undefined;
  readonly isOfAnotherLog?: boolean;
  readonly isTimeout?: boolean;
}

/** The watch is over. */
interface End {
  readonly kind: 'end';
  readonly end: WatchEnd;
}

/** An answer, and what it says about the position of a watch. */
export interface Answered<A = unknown> extends ReadAnswer {
  readonly answer: A;
  readonly isNews: boolean;
  /** Whether the service did not hold the poll. */
  readonly isAtOnce: boolean;
  /**
   * Whether the index is another one than that which was sent, and than those that came at once
   * before it.
   */
  readonly hasMoved: boolean;
  /** Whether it is empty, and moves the watch back. */
  readonly isSetBack: boolean;
  /** Whether the service itself has answered. `undefined` if nothing tells. */
  readonly isFromService: boolean | undefined;
  readonly askedAt: Instant;
  readonly arrivedAt: Instant;
}
