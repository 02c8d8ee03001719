import type { Observable, ObservableInput } from 'rxjs';
import { instant, type Clocks, type Instant } from './timing/index.js';

/**
 * Polls a service once, from an index or, without one, from now. Cold: subscribing sends the
 * request, the first value is the answer, completing without a value means that there is nothing
 * new, and unsubscribing aborts.
 */
export type Poll<A> = (index: string | undefined, context: PollContext) => ObservableInput<A>;

/** An answer, and the text that it was decoded from, if that is known. */
export interface Polled<A> {
  readonly answer: A;
  readonly text?: string;
}

/** A poll that emits one answer at most. */
export type SinglePoll<A> = (index: string | undefined, context: SentPollContext) => Observable<Polled<A>>;

/** What a poll may want to know, and to report. */
export interface PollContext {
  /**
   * Aborted when the poll is: by its timeout, by a wake, or because the watch is unsubscribed from.
   * Give it to whatever sends the request.
   */
  readonly signal: PollSignal;
  /** The connections of earlier polls may be dead, although they look open: use a new one. */
  readonly needsFreshConnection: boolean;
  /**
   * Call it when the body of the answer begins to arrive. The timeout no longer applies from then
   * on.
   */
  readonly onArrival: () => void;
  /** The `watchId` of the watch, for the log of requests. */
  readonly pollOf?: number;
}

/** The `AbortSignal` of the platform, where its types are known. */
export type PollSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : { readonly aborted: boolean };

/** The context of a poll that says when its request goes out: it may have to wait for a token. */
export interface SentPollContext extends PollContext {
  readonly pollOf: number;
  readonly onSent: () => void;
}

interface Aborting {
  readonly signal: PollSignal;
  abort(): void;
}

declare const AbortController: new () => Aborting;

/** What a poll gets to know, and what it reports. */
export class OpenPollContext implements SentPollContext {
  sentAt: Instant | undefined;
  arrivedAt: Instant | undefined;
  readonly onSent: () => void;
  readonly onArrival: () => void;
  readonly askedAt: number;
  #aborting: Aborting | undefined;
  #isAborted = false;

  constructor(
    clocks: Clocks,
    readonly needsFreshConnection: boolean,
    readonly pollOf: number,
  ) {
    this.askedAt = clocks.monotonic.now();
    this.onSent = () => {
      this.sentAt = instant(clocks);
    };
    this.onArrival = () => {
      this.arrivedAt ??= instant(clocks);
    };
  }

  /**
   * On the prototype, so that neither a spread nor a poll that does not read it makes a controller.
   */
  get signal(): PollSignal {
    this.#aborting ??= new AbortController();
    if (this.#isAborted) this.#aborting.abort();
    return this.#aborting.signal;
  }

  abort(): void {
    this.#isAborted = true;
    this.#aborting?.abort();
  }
}
