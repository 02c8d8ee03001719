import type { FleetEvent } from 'lobby-rx/fleet';

/** The options that a worker or the consumer is started with. */
export interface Start {
  readonly name: string;
  readonly nats: number;
  readonly url: string;
  readonly lease: number;
  readonly shards: number;
  readonly database: string;
  /** The port for its metrics. `undefined` without metrics. */
  readonly metrics: number | undefined;
  readonly identities: readonly (readonly [identity_id: string, token: string])[];
}

/** The contents of the consumer's database. */
export interface Counts {
  readonly stored: number;
  readonly distinct: number;
  readonly gaps: number;
}

/** A message from a process to the main one. */
export type Report =
  | { readonly kind: 'event'; readonly event: FleetEvent }
  | { readonly kind: 'counts'; readonly counts: Counts };
