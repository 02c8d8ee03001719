import type { FleetEvent } from 'lobby-rx/fleet';

/** What a worker or the consumer is started with. */
export interface Start {
  readonly name: string;
  readonly nats: number;
  readonly url: string;
  readonly lease: number;
  readonly shards: number;
  readonly database: string;
  /** The port for its metrics; undefined if they are not wanted. */
  readonly metrics: number | undefined;
  readonly identities: readonly (readonly [identity_id: string, token: string])[];
}

/** What the consumer has in its database. */
export interface Counts {
  readonly stored: number;
  readonly distinct: number;
  readonly gaps: number;
}

/** What a process tells the main one. */
export type Report =
  | { readonly kind: 'event'; readonly event: FleetEvent }
  | { readonly kind: 'counts'; readonly counts: Counts };
