/** An identity, and which process of the service answers for it. */
export interface BenchIdentity {
  readonly identity_id: string;
  readonly token: string;
  readonly url: string;
}

/** Messages to the service. */
export type ToService =
  | { readonly kind: 'start'; readonly seed: number; readonly identities: number; readonly blockTime: number }
  /** Sends `perSecond` events in a second, evenly to all identities, for `time` ms. */
  | { readonly kind: 'publish'; readonly perSecond: number; readonly time: number }
  | { readonly kind: 'polls' };

/** Messages from the service. */
export type FromService =
  | { readonly kind: 'started'; readonly identities: readonly BenchIdentity[] }
  | { readonly kind: 'published'; readonly count: number }
  | { readonly kind: 'polls'; readonly held: number };

/**
 * Messages to a process that follows identities: all of them by itself, or as a worker of a fleet.
 */
export type ToFollower =
  | {
      readonly kind: 'start';
      readonly name: string;
      readonly nats: number | undefined;
      readonly lease: number;
      readonly identities: readonly BenchIdentity[];
      /** The address that it polls from. */
      readonly from: string;
    }
  | { readonly kind: 'figures' };

/**
 * Messages to a process that only appends to subjects, as a worker does: `perSecond` in a second,
 * for `time` ms.
 */
export type ToAppender =
  | {
      readonly kind: 'append';
      readonly nats: number;
      readonly subjects: number;
      readonly perSecond: number;
      readonly time: number;
    }
  | { readonly kind: 'figures' };

/** What a process that follows identities has done so far. */
export interface FollowerFigures {
  readonly kind: 'figures';
  readonly events: number;
  /** In µs. */
  readonly cpu: number;
  /** In bytes, after a full garbage collection. */
  readonly heap: number;
  /** To and from NATS. */
  readonly messages: number;
}

export type FromFollower =
  FollowerFigures | { readonly kind: 'assigned'; readonly shard: number; readonly from: string | undefined };
