import type { SavedWorld } from 'lobby-rx/emulator';
import type { RouteMode } from './route.js';

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

/**
 * Messages to a proxy process. `set`: what each route does from now on; those that are not named
 * forward requests.
 */
export type ToProxy =
  | { readonly kind: 'start'; readonly to: number; readonly count: number; readonly backlog: number }
  | { readonly kind: 'set'; readonly modes: readonly RouteMode[] }
  | { readonly kind: 'report' };

/** A request that a proxy has seen. The index is empty if there was none. */
export type SeenRequest = readonly [token: string, at: number, index: string];

/** Messages from a proxy process. */
export type FromProxy =
  | { readonly kind: 'started'; readonly ports: readonly number[] }
  | { readonly kind: 'done' }
  | { readonly kind: 'report'; readonly seen: readonly SeenRequest[]; readonly sockets: number };

/** The programs that follow identities. */
export type FollowerName = 'consumer' | 'visitor' | 'returner';

/** Starts a follower. `file` is its journal. */
export interface StartFollower {
  readonly kind: 'start';
  readonly identities: readonly RoutedIdentity[];
  readonly file: string;
  readonly plan: ChaosPlan;
}

/** Messages to a follower. `throw`: a subscriber throws at the next event. */
export type ToFollower = StartFollower | { readonly kind: 'throw' | 'stop' };

/** Messages from a follower. */
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
   * `steady`: no fault makes the service lose its index, or send again what it has sent. `bulk`:
   * the same, with batches of thousands of events. `replayed`: the service sends events again.
   * `lossy`: it loses its index, too.
   */
  readonly kind: 'steady' | 'bulk' | 'replayed' | 'lossy';
  /**
   * `consumer`: with checkpoints in a file. `visitor`, `returner`: with a feed that is left and
   * come back to.
   */
  readonly followedBy: FollowerName;
}

/** An identity, and the port of the proxy through which it is followed. */
export interface RoutedIdentity extends TestIdentity {
  readonly port: number;
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
  /**
   * How long the service keeps events, in ms: shorter than in reality, so that it is exceeded
   * within a run.
   */
  readonly retention: number;
  /** How long the service holds a poll, and how long a poll may take, in ms. */
  readonly blockTime: number;
  readonly timeout: number;
  /** How often watches may poll without news, in ms. */
  readonly minInterval: number;
  /** How often the proxies fail, and how long, in ms: longer than the service keeps events. */
  readonly outages: number;
  readonly outage: number;
  /** How often a follower gets little of the CPU, and how long, in ms. */
  readonly starvations: number;
  readonly starvation: number;
}
