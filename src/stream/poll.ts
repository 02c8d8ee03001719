import type { Observable, ObservableInput } from 'rxjs';

/**
 * Polls a service once: from an index or, without one, from now. It is cold: subscribing sends the
 * request. The first value is the answer. Completing without a value means that there is nothing
 * new. Unsubscribing aborts the request.
 */
export type Poll<A> = (index: string | undefined, context: PollContext) => ObservableInput<A>;

/** An answer, and the text that it was decoded from, if that is known. */
export interface Polled<A> {
  readonly answer: A;
  readonly text?: string;
  /** Whether the service itself has answered, see `TransportResponse`. */
  readonly isFromService?: boolean | undefined;
}

/** A poll that emits one answer at most. */
export type SinglePoll<A> = (index: string | undefined, context: SentPollContext) => Observable<Polled<A>>;

/** The facts that a poll may need, and the callback with which it reports. */
export interface PollContext {
  /**
   * Aborted together with the poll: by its timeout, by a wake, or because the watch is unsubscribed
   * from. Give it to whatever sends the request.
   */
  readonly signal: PollSignal;
  /** The connections of earlier polls may be dead, although they look open. Use a new one. */
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

/**
 * The context of a poll that reports when its request goes out. The request may have to wait for a
 * token.
 */
export interface SentPollContext extends PollContext {
  readonly pollOf: number;
  readonly onSent: () => void;
}
