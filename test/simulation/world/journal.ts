import type { Clocks, Moment } from './clocks.js';

/** Something that happened in a simulation, as the client's side saw it. */
export type JournalEntry = Moment &
  (
    | {
        readonly kind: 'request';
        readonly request: number;
        readonly index: string | undefined;
        /** How many requests are on their way, this one included. */
        readonly inFlight: number;
        /** It has no index, although the service still knows the last one. */
        readonly isEarly?: boolean;
      }
    /** A 200 of the service. */
    | {
        readonly kind: 'answer';
        readonly request: number;
        readonly firstByte: Moment;
        readonly index: string;
        readonly ids: readonly number[];
        readonly producedAt: number;
      }
    /** An answer as the client reads it, perhaps from a cache. */
    | {
        readonly kind: 'read';
        readonly index: string;
        readonly handle: string | undefined;
        readonly isTruncated: boolean;
      }
    | { readonly kind: 'echo'; readonly request: number }
    /** The service gave up a poll that it held. */
    | { readonly kind: 'timeout'; readonly request: number }
    /** The service asked not to be polled for this time, in ms. */
    | { readonly kind: 'asked to wait'; readonly wait: number }
    /** The events of one emission. */
    | { readonly kind: 'delivered'; readonly ids: readonly number[] }
    | { readonly kind: 'gap'; readonly reason: string }
    /** `ack` was called with a gap, which it may have been called with before. */
    | { readonly kind: 'gap in ack' }
    | { readonly kind: 'acknowledged' | 'not acknowledged' | 'left' | 'back' | 'resumed' }
    | { readonly kind: 'ended'; readonly error: unknown }
    | { readonly kind: 'status'; readonly state: string }
  );

/** What happens, without its time. */
type Happening = JournalEntry extends infer E ? (E extends Moment ? Omit<E, keyof Moment> : never) : never;

/** Everything that happened in a simulation, in order. */
export class Journal {
  readonly entries: JournalEntry[] = [];
  readonly #clocks: Clocks;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
  }

  add(happening: Happening): void {
    this.entries.push({ ...this.#clocks.now, ...happening });
  }
}

/** A line for a person: the time, what happened, and its details. */
export function lineOf(entry: JournalEntry): string {
  const { true: at, monotonic } = entry;
  const details = Object.entries(entry).filter(
    ([name]) => !['true', 'monotonic', 'wall', 'kind'].includes(name),
  );
  const clocks = `${(at / 1_000).toFixed(2).padStart(8)} s (client ${(monotonic / 1_000).toFixed(2)} s)`;
  return `${clocks} ${entry.kind} ${JSON.stringify(Object.fromEntries(details))}`;
}
