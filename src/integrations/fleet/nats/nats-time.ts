import type { TimestampProvider } from 'rxjs';

/**
 * How far ahead of now the time of a message may seem to be, in ms: as long as a heartbeat may
 * take. It was stored a moment ago.
 */
const SLOW_MS = 5_000;

/**
 * When something was stored, on the monotonic clock of this process. No two machines have the same
 * time, and clocks are set. So the only times that count are those that NATS gives to messages; how
 * old something was when it was stored is stored beside it, as a duration.
 *
 * The time of NATS is that of this worker's last heartbeat, and what the monotonic clock has
 * counted since: 2.9 says it nowhere else.
 */
export class NatsTime {
  readonly #monotonic: TimestampProvider;
  /** How far the time of NATS is ahead of the monotonic clock, in ms. */
  #ahead: number | undefined;

  constructor(monotonic: TimestampProvider = performance) {
    this.#monotonic = monotonic;
  }

  get isKnown(): boolean {
    return this.#ahead !== undefined;
  }

  /**
   * Between two times of the monotonic clock, a heartbeat was sent, stored at a time of NATS, and
   * confirmed.
   */
  learn(sentAt: number, storedAt: number, heardAt: number): void {
    this.#ahead = storedAt - (sentAt + heardAt) / 2;
  }

  /**
   * The moment on the monotonic clock from which something is that had this age when NATS stored
   * it.
   */
  since(storedAt: number, age: number): number {
    const now = this.#monotonic.now();
    const stored = this.#ahead === undefined ? now : storedAt - this.#ahead;
    return (stored > now && stored - now < SLOW_MS ? now : stored) - age;
  }

  /** The age, in ms, of something that is from a moment on the monotonic clock. */
  age(since: number): number {
    return Math.max(0, Math.round(this.#monotonic.now() - since));
  }
}
