import type { FleetEvent } from 'lobby-rx/fleet';

/** Messages to a worker. */
export type ToWorker =
  | {
      readonly kind: 'start';
      readonly name: string;
      /** The ports of the servers. Several servers keep replicas. */
      readonly nats: readonly number[];
      readonly url: string;
      readonly lease: number;
      readonly shards: number;
      readonly identities: readonly string[];
    }
  | { readonly kind: 'identities'; readonly identities: readonly string[] }
  | { readonly kind: 'token'; readonly identity_id: string; readonly token: string }
  /** The clock of the machine is set. From now on it is ahead by `ahead` more ms. */
  | { readonly kind: 'clock'; readonly ahead: number }
  /** From now on, the worker reaches the service, or does not. */
  | { readonly kind: 'service'; readonly isReachable: boolean }
  | { readonly kind: 'leave' };

/** Messages from a worker. */
export type FromWorker =
  | { readonly kind: 'event'; readonly event: FleetEvent }
  | { readonly kind: 'token'; readonly identity_id: string };
