import type { TimestampProvider } from 'rxjs';

/**
 * What was stored a moment ago must not seem to be of the future, by more than a heartbeat may
 * take, in ms.
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
   * Since when something is, on the monotonic clock, that was so old when NATS stored it at a time.
   */
  since(storedAt: number, age: number): number {
    const now = this.#monotonic.now();
    const stored = this.#ahead === undefined ? now : storedAt - this.#ahead;
    return (stored > now && stored - now < SLOW_MS ? now : stored) - age;
  }

  /** How old something is, in ms, that is since a time of the monotonic clock. */
  age(since: number): number {
    return Math.max(0, Math.round(this.#monotonic.now() - since));
  }
}
