import type { TimestampProvider } from 'rxjs';

/**
 * A heartbeat may take this long, in ms. So the time of a message that was stored a moment ago may
 * seem to be ahead of now by as much.
 */
const SLOW_MS = 5_000;

/**
 * Converts the times of NATS to the monotonic clock of this process. No two machines have the same
 * time, and clocks are set. So the only times that count are those that NATS gives to messages. The
 * age of something is stored beside it, as a duration.
 *
 * The time of NATS is the time of this worker's last heartbeat, plus what the monotonic clock has
 * counted since then. NATS 2.9 reports its time nowhere else.
 */
export class NatsTime {
  readonly #monotonic: TimestampProvider;
  /** By how much the time of NATS is ahead of the monotonic clock, in ms. */
  #ahead: number | undefined;

  constructor(monotonic: TimestampProvider = performance) {
    this.#monotonic = monotonic;
  }

  get isKnown(): boolean {
    return this.#ahead !== undefined;
  }

  /**
   * A heartbeat was sent at `sentAt` and confirmed at `heardAt`, both on the monotonic clock. NATS
   * stored it at `storedAt`.
   */
  learn(sentAt: number, storedAt: number, heardAt: number): void {
    this.#ahead = storedAt - (sentAt + heardAt) / 2;
  }

  /**
   * Converts to a moment on the monotonic clock. Something had this `age` when NATS stored it at
   * `storedAt`.
   */
  since(storedAt: number, age: number): number {
    const now = this.#monotonic.now();
    const stored = this.#ahead === undefined ? now : storedAt - this.#ahead;
    return (stored > now && stored - now < SLOW_MS ? now : stored) - age;
  }

  /** The age, in ms, of something since a moment on the monotonic clock. */
  age(since: number): number {
    return Math.max(0, Math.round(this.#monotonic.now() - since));
  }
}
