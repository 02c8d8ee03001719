import { Timers } from './timers.js';

/** When every simulation begins. Times before 2000 are not accepted as dates. */
export const BEGIN = Date.UTC(2026, 0, 1);

/** A moment on all three clocks, in ms. */
export interface Moment {
  /** The service's time since the beginning. It never stands still. */
  readonly true: number;
  /**
   * The client's time since the beginning, by which its timers fire. It stands still while the
   * client's machine sleeps.
   */
  readonly monotonic: number;
  /** The client's wall clock, since 1970. A person may set it. */
  readonly wall: number;
}

/**
 * The times of the service and of a client, whose machine may sleep and whose wall clock may be
 * set.
 */
export class Clocks {
  #true = 0;
  #slept = 0;
  #asleepSince: number | undefined;
  #wallError = 0;
  /** The timers of everything but the client. */
  readonly world = new Timers(() => this.#true);
  /**
   * The scheduler of the client: its timers fire by the monotonic clock, and it shows the wall
   * clock.
   */
  readonly client = new Timers(
    () => this.#monotonic,
    () => this.#wall,
  );
  readonly monotonic = { now: () => this.#monotonic };

  get now(): Moment {
    return { true: this.#true, monotonic: this.#monotonic, wall: this.#wall };
  }

  get #monotonic(): number {
    return (this.#asleepSince ?? this.#true) - this.#slept;
  }

  get #wall(): number {
    return BEGIN + this.#true + this.#wallError;
  }

  /** Sets the client's wall clock forward, or back. */
  setWall(by: number): void {
    this.#wallError += by;
  }

  /** The client's machine sleeps from now on. Calls `onAwake` when it wakes up. */
  sleep(duration: number, onAwake: () => void): void {
    if (this.#asleepSince !== undefined) return;
    this.#asleepSince = this.#true;
    this.world.schedule(() => {
      this.#asleepSince = undefined;
      this.#slept += duration;
      onAwake();
    }, duration);
  }

  /** Lets time pass up to a moment of the service's time, or until so many timers have fired. */
  runUntil(end: number, timers: number): void {
    for (let count = 0; count < timers; count++) {
      const inWorld = this.world.next;
      const inClient = this.#asleepSince === undefined ? this.client.next + this.#slept : Infinity;
      const next = Math.min(inWorld, inClient);
      if (next > end) {
        this.#true = end;
        return;
      }
      this.#true = Math.max(this.#true, next);
      (inWorld <= inClient ? this.world : this.client).fireNext();
    }
  }
}
