/** A message that took longer on its way says too little about a clock, in ms. */
const SLOW_MS = 1_000;

/**
 * How far the clock of this machine is ahead of that of NATS. Times that other machines read are stored by the clock of NATS, since
 * no two machines have the same time.
 */
export class NatsClock {
  readonly #now: () => number;
  #ahead = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Between two times of this machine, a message was sent, stored at one of NATS, and confirmed. */
  learn(sentAt: number, storedAt: number, heardAt: number): void {
    if (heardAt - sentAt > SLOW_MS || heardAt < sentAt) return;
    this.#ahead = (sentAt + heardAt) / 2 - storedAt;
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
