import type { SchedulerLike } from 'rxjs';
import type { TabLock } from './tab-lock.js';
import type { TabMemory, TabOutbox } from './tab-outbox.js';

/**
 * Knows whether a tab leads. The tab that has the lock does. A tab may have lost the lock without
 * knowing it yet, if it stood still. So it is certain only until it stands still, or another tab
 * has a greater number.
 */
export class TabLead<A> {
  readonly #memory: TabMemory<A>;
  readonly #outbox: TabOutbox<A>;
  readonly #scheduler: SchedulerLike;
  #lock: TabLock | undefined;
  /** The number that this tab has as the leader. */
  #epoch = 0;
  #hasYetToPoll = false;

  constructor(memory: TabMemory<A>, outbox: TabOutbox<A>, scheduler: SchedulerLike) {
    this.#memory = memory;
    this.#outbox = outbox;
    this.#scheduler = scheduler;
  }

  /** Whether this tab has the lock, as far as it knows. */
  get hasLock(): boolean {
    return this.#lock !== undefined;
  }

  /** Whether this tab has the lock but does not poll yet. It may still learn where to poll from. */
  get hasYetToPoll(): boolean {
    return this.#hasYetToPoll;
  }

  /** Whether this tab certainly leads. It knows of no newer leader, and cannot have missed one. */
  get isCertain(): boolean {
    const { epoch, heartbeat } = this.#memory;
    return this.hasLock && this.#epoch === epoch && !heartbeat.hasStoodStill();
  }

  /** This tab has got the lock. It asks the others where to poll from. */
  begin(lock: TabLock): void {
    this.#memory.heartbeat.forgetStandstill();
    // A tab that has just come does not know the numbers of earlier leaders. So it takes the time,
    // which is greater.
    this.#claim(Math.max(this.#memory.epoch + 1, this.#scheduler.now()));
    this.#lock = lock;
    this.#hasYetToPoll = true;
  }

  /** This tab begins to poll. A reply that comes later does not change where it polls from. */
  beginPolling(): void {
    this.#hasYetToPoll = false;
  }

  end(): void {
    this.#lock = undefined;
    this.#hasYetToPoll = false;
  }

  /** Tells the others that the leader is alive. */
  beat(): void {
    if (this.hasLock) {
      this.#outbox.post({ kind: 'beat', epoch: this.#epoch, index: this.#memory.log.index });
    }
  }

  /**
   * Finds out whether this tab leads. If that is not certain, it asks the browser whether this tab
   * still has the lock. Another tab may have a greater number although it does not lead, because
   * its clock was ahead. Then this tab claims the lead again, with a number that is greater still.
   */
  async confirm(): Promise<boolean> {
    const lock = this.#lock;
    if (!lock) return false;
    if (this.isCertain) return true;
    const isStillOurs = await lock.isStillOurs();
    // While the browser answered, this tab may have lost the lock, and even got it again.
    if (!isStillOurs || this.#lock !== lock) return false;
    this.#memory.heartbeat.forgetStandstill();
    if (this.#epoch < this.#memory.epoch) this.#claim(this.#memory.epoch + 1);
    return true;
  }

  #claim(epoch: number): void {
    this.#memory.epoch = epoch;
    this.#epoch = epoch;
    this.#outbox.ask('claim');
  }
}
