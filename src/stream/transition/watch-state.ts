import type { Instant } from '../timing/index.js';
import type { Polled } from '../poll.js';
import type { AckDecision } from '../watch-config.js';
import type { Checkpoint, Gap, GapReason, PollEnd, WatchSignal, WatchStatus } from '../watch-signal.js';
import type { WatchSettings } from '../watch-settings.js';

/** The state of a watch between two polls. Each part has its rules in its file. */
export interface WatchState {
  readonly position: Position;
  readonly pace: Pace;
  readonly health: Health;
  /** When the service was last asked: when the last poll was sent, once it had its token. */
  readonly askedAt: Instant;
  /** The connections of earlier polls may be dead. */
  readonly needsFreshConnection: boolean;
}

/** Where a watch is among the events of its service, and how certain that is (laws 3 and 5). */
export interface Position {
  /** The index for the next poll. `undefined` to start from now. */
  readonly index: string | undefined;
  /**
   * The index is no older than this: when its poll was sent or, if it came with news, the contact
   * before that.
   */
  readonly indexAt: Instant;
  /** When the service was last heard from. The next news may have waited since then. */
  readonly contactAt: Instant;
  /** When the last gap was emitted. A reload at that time misses nothing from before it. */
  readonly gapAt: Instant;
  /** Whether there is a cache on the way, so that the age of the index is not known. */
  readonly isAgeUnknown: boolean;
  /** The key of the last answer with news, by which a repeat is recognized. */
  readonly key: unknown;
  /** The last answers with news that came at once, one after the other. The newest is first. */
  readonly quick: readonly QuickNews[];
  /** The key of the echo that was the last answer to a poll from this index. */
  readonly echoed: unknown;
  /** A key of the last answer with news, without its index. */
  readonly content: unknown;
  /** The log that the index belongs to, if the service says so. */
  readonly handle: string | undefined;
  /** The number of answers in a row that were of another log than the index that was sent. */
  readonly mixUps: number;
  /** The number of answers in a row that had no index, although they were not empty. */
  readonly indexless: number;
  /**
   * The gap to emit before the next answer. It waits until then, since a reload only works once the
   * service is up again.
   */
  readonly due: DueGap | undefined;
}

/** News that came at once. A quiet watch has none, since a process may hold thousands. */
export interface QuickNews {
  readonly index: string;
  readonly key: unknown;
}

/** A gap before an answer that has not been committed. */
export interface DueGap {
  readonly reason: GapReason;
  readonly index: string | undefined;
  /** The gap as it was emitted, if the answer after it was not acknowledged. */
  readonly emitted?: Gap | undefined;
}

/** When the next poll may be sent (laws 6 and 7). */
export interface Pace {
  /** The rate limit of polls without news is paid up to this time, on the monotonic clock. */
  readonly paidUntil: number;
  /** The wait before the next poll. */
  readonly rest: Rest;
  /** The number of failures in a row, from which the backoff follows. */
  readonly attempt: number;
}

/** A wait, on the monotonic clock. A wake may shorten it, but not to before `earliest`. */
export interface Rest {
  readonly until: number;
  readonly earliest: number;
}

/** What a person should know about a watch (law 15). */
export interface Health {
  readonly status: WatchStatus;
  /**
   * A poll that is held this long, in ms, shows that the service is well. It is longer than the
   * poll before was held, if that ended without an answer.
   */
  readonly heldAfter: number;
  /** Whether the service has answered. If so, its URL is right. */
  readonly isAnswered: boolean;
  /** Whether an answer has told who gave it. Then no other answer is taken for the service's. */
  readonly isProved: boolean;
  /** Whether the browser says that it has no network, and the service has said nothing since. */
  readonly isOffline: boolean;
  /**
   * `false` from when the browser says that it has a network again until the service is heard
   * from.
   */
  readonly isSure: boolean;
}

/** A new health, and the signal of its status, if the status says something new. */
export interface Change {
  readonly health: Health;
  readonly signals: readonly WatchSignal<never>[];
}

/** An event of a poll, or of the wait for it. */
export type WatchEvent<A> =
  /** The poll waits for the quota until about then, on the monotonic clock. */
  | { readonly kind: 'waiting'; readonly until: number }
  /** The request goes out, or the service has been holding it for a while. The poll goes on. */
  | { readonly kind: 'sent' | 'held' }
  /** An answer, and when it began to arrive. By default, that is now. */
  | ({ readonly kind: 'answer'; readonly arrivedAt?: Instant | undefined } & Polled<A>)
  /** The poll completed without an answer. */
  | { readonly kind: 'completed' }
  /** The poll was sent, and was not answered in time. */
  | { readonly kind: 'timeout' }
  | PollFailure
  /** An interruption. `wasSent` says whether it ended a poll that had been sent. */
  | { readonly kind: Interruption; readonly wasSent?: boolean }
  /** The answer that was queued for the next subscriber is dropped. */
  | { readonly kind: 'expired' }
  /** An answer was delivered. Then `ack` failed, or decided how to go on. */
  | { readonly kind: 'unacknowledged'; readonly error: unknown; readonly acknowledging: Transition<A> }
  | { readonly kind: 'decided'; readonly decision: AckDecision; readonly acknowledging: Transition<A> };

/** A poll failed, or could not even be sent. */
export interface PollFailure {
  readonly kind: 'failure';
  readonly error: unknown;
  /**
   * How long the poll had been on its way, in ms, when an answer began to arrive or, without one,
   * when the poll failed.
   */
  readonly heldFor: number;
  /** Whether the body of an answer had begun to arrive. */
  readonly hasArrived?: boolean;
  /** Whether the poll had been sent. If so, the service may have answered it. */
  readonly wasSent?: boolean;
}

/**
 * An interruption of a poll, or of the wait for it: the machine woke, the last subscriber of a feed
 * left, or one came back. A page that goes offline or online ends no poll.
 */
export type Interruption = 'woken' | 'left' | 'returned' | 'offline' | 'online';

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
  /** How long the service has asked to wait, in ms. That is for all polls of its route. */
  readonly retryAfter?: number | undefined;
  /** The answer to deliver before the next state takes effect. */
  readonly delivery?: Delivery<A> | undefined;
  /** How the watch ends. `undefined` if it goes on. */
  readonly end?: WatchEnd | undefined;
}

export type WatchEnd = { readonly kind: 'complete' } | { readonly kind: 'error'; readonly error: unknown };

/** An answer on its way to the subscriber. */
export interface Delivery<A> {
  /**
   * The arguments of `ack`: the answer, its checkpoint, and the gap before it, even if the gap has
   * been emitted earlier.
   */
  readonly answer: A;
  readonly checkpoint: Checkpoint;
  readonly gap: Gap | undefined;
  /** Whether the log is closed. Then the watch completes, as if `ack` had decided so. */
  readonly isClosed: boolean;
  /**
   * The signals to emit: the gap, unless it has been emitted, then the answer or, if it has no
   * news, the checkpoint.
   */
  readonly signals: readonly WatchSignal<A>[];
}
