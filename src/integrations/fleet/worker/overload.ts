import type { FleetEvent } from '../fleet-event.js';

/** A process whose timers are later than this has too much to do, in ms. */
const TOO_LATE_MS = 1_000;

/** It has, if they were since each of so many checks: one long pause is none. */
const LATE_CHECKS = 2;

/** Whether a worker has more to do than it can. */
export class Overload {
  readonly #capacity: number;
  readonly #emit: (event: FleetEvent) => void;
  #hasTooMany = false;
  /** How late its timers were at worst since the last check, in ms. */
  #worst = 0;
  #lateChecks = 0;

  constructor(capacity: number, emit: (event: FleetEvent) => void) {
    this.#capacity = capacity;
    this.#emit = emit;
  }

  /** A timer was so late, in ms. */
  late(by: number): void {
    this.#worst = Math.max(this.#worst, by);
  }

  /**
   * Says so when it begins to have more to do than it can. Returns how late its timers were at
   * worst since the last check, in ms.
   */
  check(identities: number): number {
    const worst = this.#worst;
    this.#worst = 0;
    const hasTooMany = identities > this.#capacity;
    if (hasTooMany && !this.#hasTooMany) this.#emit({ kind: 'overloaded', by: 'capacity', identities });
    this.#hasTooMany = hasTooMany;
    this.#lateChecks = worst > TOO_LATE_MS ? this.#lateChecks + 1 : 0;
    if (this.#lateChecks === LATE_CHECKS) this.#emit({ kind: 'overloaded', by: 'late', identities });
    return Math.round(worst);
  }
}
