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
  | { readonly kind: 'publish'; readonly events: readonly (readonly [identity_id: string, n: number])[] }
  | { readonly kind: 'stop_faults' }
  | { readonly kind: 'report' };

/** Messages from the service process. */
export type FromService =
  | {
      readonly kind: 'started';
      readonly saved: SavedWorld;
      readonly port: number;
      readonly identities: readonly TestIdentity[];
    }
  | { readonly kind: 'published'; readonly stamps: readonly number[] }
  | { readonly kind: 'faults_stopped' }
  | { readonly kind: 'report'; readonly faults: Readonly<Record<string, number>>; readonly sockets: number };

/** Messages to the consumer process. */
export type ToConsumer =
  | {
      readonly kind: 'start';
      readonly port: number;
      readonly identities: readonly TestIdentity[];
      readonly file: string;
      readonly plan: ChaosPlan;
    }
  | { readonly kind: 'stop' };

/** Messages from the consumer process. */
export type FromConsumer = { readonly kind: 'stopped' } & ConsumerFigures;

export interface ConsumerFigures {
  readonly heapAtStart: number;
  readonly heapAtEnd: number;
}

/** An identity, its token, and whether no fault makes the service lose its index. */
export interface TestIdentity {
  readonly identity_id: string;
  readonly token: string;
  readonly isLossless: boolean;
}

/** The plan of a run. */
export interface ChaosPlan {
  readonly seconds: number;
  readonly events: number;
  /** The minimum number of faults. */
  readonly faults: number;
  readonly identities: number;
  readonly kills: number;
  readonly consumerKills: number;
  /** How long the service keeps events, in ms: shorter than in reality, so that it is exceeded within a run. */
  readonly retention: number;
  /** How long a poll may take, in ms. */
  readonly deadline: number;
}
