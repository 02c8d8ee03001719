import type { SavedWorld } from 'lobby-rx/emulator';

/** Messages to the service process. */
export type ToService =
  | {
      readonly kind: 'start';
      readonly saved?: SavedWorld;
      readonly port: number;
      readonly seed: number;
      readonly plan: ChaosPlan;
    }
  | {
      readonly kind: 'publish';
      readonly events: readonly (readonly [identity_id: string, n: number])[];
      /** The token of an identity that gets its next batches again and again. */
      readonly repeatFor?: string;
    }
  | { readonly kind: 'kill_connections' | 'stop_faults' | 'report' };

/** Messages from the service process. */
export type FromService =
  | {
      readonly kind: 'started';
      readonly saved: SavedWorld;
      readonly port: number;
      readonly identities: readonly TestIdentity[];
    }
  | { readonly kind: 'published'; readonly stamps: readonly number[] }
  | { readonly kind: 'done' }
  | { readonly kind: 'report'; readonly faults: Readonly<Record<string, number>>; readonly sockets: number };

/** Starts a consumer or a visitor. `file` is its journal. */
export interface StartFollower {
  readonly kind: 'start';
  readonly port: number;
  readonly identities: readonly TestIdentity[];
  readonly file: string;
  readonly plan: ChaosPlan;
}

/** Messages to a consumer or a visitor. `throw`: a subscriber throws at the next event. */
export type ToFollower = StartFollower | { readonly kind: 'throw' | 'stop' };

/** Messages from a consumer or a visitor. */
export interface FollowerFigures {
  readonly kind: 'stopped';
  readonly heapAtStart: number;
  readonly heapAtEnd: number;
}

/** The message of the error that a subscriber throws. */
export const PLANNED_ERROR = 'a planned error of a subscriber';

/** An identity, its token, and how it is followed. */
export interface TestIdentity {
  readonly identity_id: string;
  readonly token: string;
  /**
   * `steady`: no fault makes the service lose its index. `bulk`: nor does its index go back, and it gets batches of thousands of
   * events. `lossy`: all faults.
   */
  readonly kind: 'steady' | 'bulk' | 'lossy';
  /** Whether it has a feed that is left and come back to, instead of checkpoints in a file. */
  readonly isVisited: boolean;
}

/** The plan of a run. */
export interface ChaosPlan {
  /** How long events are sent, not counting the disruptions. */
  readonly seconds: number;
  readonly events: number;
  /** The minimum number of faults. */
  readonly faults: number;
  readonly kills: number;
  readonly consumerKills: number;
  readonly consumerThrows: number;
  /** How often all connections die at once. */
  readonly deadPools: number;
  /** How often two identities get a batch of `bulk` events. */
  readonly bulks: number;
  readonly bulk: number;
  /** How long the service keeps events, in ms: shorter than in reality, so that it is exceeded within a run. */
  readonly retention: number;
  /** How long the service holds a poll, and how long a poll may take, in ms. */
  readonly blockTime: number;
  readonly deadline: number;
}
