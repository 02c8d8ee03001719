import { FleetError } from '../fleet-error.js';

/** How far a clock may be off before that is worth telling, and how often to emit, in ms. */
const NOTICEABLE_MS = 5_000;
const TELL_EVERY_MS = 60_000;

/** A message that took longer on its way says too little about a clock, in ms. */
const SLOW_MS = 1_000;

/**
 * How far the clock of this machine is ahead of that of NATS. Times that other machines read are stored by the clock of NATS, since
 * no two machines have the same time.
 */
export class NatsClock {
  readonly #emit: (error: FleetError) => void;
  readonly #now: () => number;
  #ahead = 0;
  #reportedAt = -Infinity;

  constructor(emit: (error: FleetError) => void, now: () => number = Date.now) {
    this.#emit = emit;
    this.#now = now;
  }

  /** Between two times of this machine, a message was sent, stored at one of NATS, and confirmed. */
  learn(sentAt: number, storedAt: number, heardAt: number): void {
    if (heardAt - sentAt > SLOW_MS || heardAt < sentAt) return;
    this.#ahead = (sentAt + heardAt) / 2 - storedAt;
    const seconds = Math.round(Math.abs(this.#ahead) / 1_000);
    const now = this.#now();
    if (Math.abs(this.#ahead) < NOTICEABLE_MS || now - this.#reportedAt < TELL_EVERY_MS) return;
    this.#reportedAt = now;
    const how = this.#ahead > 0 ? 'ahead of' : 'behind';
    this.#emit(
      new FleetError(`the clock of this machine is ${seconds} s ${how} that of NATS: set both by NTP`),
    );
  }

  toNats(at: number): number {
    return at - Math.round(this.#ahead);
  }

  /** What was stored a moment ago must not seem to be of the future. */
  toLocal(at: number): number {
    const [local, now] = [at + Math.round(this.#ahead), this.#now()];
    return local > now && local - now < SLOW_MS ? now : local;
  }
}
