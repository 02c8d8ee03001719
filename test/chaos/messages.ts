import type { SavedWorld } from 'lobby-rx/emulator';

/** What the run tells the process that serves. */
export type ToService =
  | {
      readonly kind: 'start';
      readonly saved?: SavedWorld;
      readonly port: number;
      readonly seed: number;
      readonly plan: ChaosPlan;
    }
  | { readonly kind: 'publish'; readonly events: readonly (readonly [identity_id: string, n: number])[] }
  | { readonly kind: 'calm' }
  | { readonly kind: 'report' };

/** What it answers. */
export type FromService =
  | {
      readonly kind: 'started';
      readonly saved: SavedWorld;
      readonly port: number;
      readonly tokens: readonly Owner[];
    }
  | { readonly kind: 'published'; readonly stamps: readonly number[] }
  | { readonly kind: 'calmed' }
  | { readonly kind: 'report'; readonly faults: Readonly<Record<string, number>>; readonly sockets: number };

/** What the run tells the process that consumes. */
export type ToConsumer =
  | {
      readonly kind: 'start';
      readonly port: number;
      readonly owners: readonly Owner[];
      readonly file: string;
      readonly plan: ChaosPlan;
    }
  | { readonly kind: 'stop' };

/** What it answers. */
export type FromConsumer = { readonly kind: 'stopped' } & ConsumerFigures;

export interface ConsumerFigures {
  readonly heapAtStart: number;
  readonly heapAtEnd: number;
}

/** An identity, its token, and whether the service keeps its log, or now and then loses the thread of it. */
export interface Owner {
  readonly identity_id: string;
  readonly token: string;
  readonly isKept: boolean;
}

/** How a run goes. */
export interface ChaosPlan {
  readonly seconds: number;
  readonly events: number;
  /** How many faults must happen, at least. */
  readonly faults: number;
  readonly identities: number;
  readonly kills: number;
  readonly consumerKills: number;
  /** How long the service keeps events, in ms: shorter than the real one, so that it is passed within the run. */
  readonly retention: number;
  /** How long a poll may take, in ms. */
  readonly deadline: number;
}
