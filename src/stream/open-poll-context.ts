import { instant, type Clocks, type Instant } from './clocks.js';
import type { PollSignal, SentPollContext } from './poll.js';

interface Aborting {
  readonly signal: PollSignal;
  abort(): void;
}

declare const AbortController: new () => Aborting;

/** What a poll gets to know, and what it reports. */
export class OpenPollContext implements SentPollContext {
  sentAt: Instant | undefined;
  arrivedAt: Instant | undefined;
  readonly onSent: () => void;
  readonly onArrival: () => void;
  readonly askedAt: number;
  #aborting: Aborting | undefined;
  #isAborted = false;

  constructor(
    clocks: Clocks,
    readonly needsFreshConnection: boolean,
    readonly pollOf: number,
  ) {
    this.askedAt = clocks.monotonic.now();
    this.onSent = () => (this.sentAt = instant(clocks));
    this.onArrival = () => (this.arrivedAt ??= instant(clocks));
  }

  /** On the prototype, so that neither a spread nor a poll that does not read it makes a controller. */
  get signal(): PollSignal {
    this.#aborting ??= new AbortController();
    if (this.#isAborted) this.#aborting.abort();
    return this.#aborting.signal;
  }

  abort(): void {
    this.#isAborted = true;
    this.#aborting?.abort();
  }
}
