import { FleetError } from '../fleet-error.js';

/** How far a clock may be off before that is worth telling, and how often to tell, in ms. */
const NOTICEABLE = 5_000;
const TELL_EVERY = 60_000;

/** A message that took longer on its way says too little about a clock, in ms. */
const SLOW = 1_000;

/**
 * How far the clock of this machine is ahead of that of NATS. Times that other machines read are stored by the clock of NATS, since
 * no two machines have the same time.
 */
export class NatsClock {
  readonly #tell: (error: FleetError) => void;
  readonly #now: () => number;
  #ahead = 0;
  #told = -Infinity;

  constructor(tell: (error: FleetError) => void, now: () => number = Date.now) {
    this.#tell = tell;
    this.#now = now;
  }

  /** A message that was sent at a time of this machine has been stored at one of NATS, and has just been heard. */
  learn(sentAt: number, storedAt: number): void {
    const heardAt = this.#now();
    if (heardAt - sentAt > SLOW || heardAt < sentAt) return;
    this.#ahead = (sentAt + heardAt) / 2 - storedAt;
    const seconds = Math.round(Math.abs(this.#ahead) / 1_000);
    if (Math.abs(this.#ahead) < NOTICEABLE || heardAt - this.#told < TELL_EVERY) return;
    this.#told = heardAt;
    const how = this.#ahead > 0 ? 'ahead of' : 'behind';
    this.#tell(
      new FleetError(`the clock of this machine is ${seconds} s ${how} that of NATS: set both by NTP`),
    );
  }

  toNats(at: number): number {
    return at - Math.round(this.#ahead);
  }

  /** What was stored a moment ago must not seem to be of the future. */
  toLocal(at: number): number {
    const [local, now] = [at + Math.round(this.#ahead), this.#now()];
    return local > now && local - now < SLOW ? now : local;
  }
}
