import type { FleetEvent } from 'lobby-rx/fleet';

/** Messages to a worker. */
export type ToWorker =
  | {
      readonly kind: 'start';
      readonly name: string;
      /** The ports of the servers; with several, they keep replicas. */
      readonly nats: readonly number[];
      readonly url: string;
      readonly lease: number;
      readonly shards: number;
      readonly identities: readonly string[];
    }
  | { readonly kind: 'identities'; readonly identities: readonly string[] }
  | { readonly kind: 'token'; readonly identity_id: string; readonly token: string }
  /** The clock of the machine is set: from now on, it is ahead by this much more, in ms. */
  | { readonly kind: 'clock'; readonly ahead: number }
  | { readonly kind: 'leave' };

/** Messages from a worker. `why` is that of the token's provider. */
export type FromWorker =
  | { readonly kind: 'event'; readonly event: FleetEvent }
  | { readonly kind: 'token'; readonly identity_id: string };
