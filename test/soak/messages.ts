/**
 * Messages to the service process. `publish`: publishes a trickle of events from now on, or no
 * more.
 */
export type ToService =
  | {
      readonly kind: 'start';
      readonly watches: number;
      /** How many random identities get an event each second. */
      readonly rate: number;
      /** How often all get one, in s; 0: never. */
      readonly allEvery: number;
    }
  | { readonly kind: 'publish'; readonly isOn: boolean }
  | { readonly kind: 'report' };

/** What the service has seen so far. */
export interface ServiceReport {
  readonly kind: 'report';
  /** Open connections now. */
  readonly sockets: number;
  /** Connections made so far. */
  readonly connections: number;
  readonly polls: number;
  /** Polls whose connection was closed before they were answered. */
  readonly aborted: number;
  /** How many events each identity has got. */
  readonly published: readonly number[];
}

/** Messages from the service process. */
export type FromService =
  | { readonly kind: 'started'; readonly port: number; readonly tokens: readonly string[] }
  | { readonly kind: 'done' }
  | ServiceReport;

/**
 * Messages to the watcher process. `open`: opens watches for these identities, besides those that
 * are open.
 */
export type ToWatcher =
  | { readonly kind: 'open'; readonly url: string; readonly tokens: readonly string[] }
  | { readonly kind: 'report' | 'stop' };

/** What the watcher has seen so far. */
export interface WatcherReport {
  readonly kind: 'report';
  /** How many watches have had their first answer. */
  readonly ready: number;
  /** How many watches have ended with an error. */
  readonly ended: number;
  readonly deliveries: number;
  /** When the last one was, in ms since 1970. */
  readonly lastAt: number;
  /** The longest time without any, while an event was waiting, in ms. */
  readonly longestSilence: number;
  readonly gaps: number;
  /** Lost without a gap, lost in a gap, and delivered twice without a gap. */
  readonly lost: number;
  readonly lostInGap: number;
  readonly twice: number;
  /** The number of the next event of each identity. */
  readonly next: readonly number[];
}
