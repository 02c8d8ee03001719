import type { FleetEvent } from 'lobby-rx/fleet';

/**
 * Counts the events of all workers of a run, and measures how long shards were without an owner.
 */
export class Takeovers {
  /** The workers that are killed or frozen, and when that began. */
  readonly away = new Map<string, number>();
  readonly #counts: Partial<Record<FleetEvent['kind'], number>> = {};
  readonly #times: number[] = [];

  count(event: FleetEvent): void {
    this.#counts[event.kind] = (this.#counts[event.kind] ?? 0) + 1;
    if (event.kind !== 'assigned' || event.from === undefined) return;
    const at = this.away.get(event.from);
    if (at !== undefined) this.#times.push(Date.now() - at);
  }

  get rows(): readonly (readonly [string, number | string])[] {
    const sorted = [...this.#times].sort((a, b) => a - b);
    const counts = this.#counts;
    return [
      ['shards taken by force', sorted.length],
      ['  after, the median', seconds(sorted[sorted.length >> 1])],
      ['  after, the longest', seconds(sorted.at(-1))],
      ['shards assigned in all', counts.assigned ?? 0],
      ['shards lost by absent workers', counts.lost ?? 0],
      ['appends in conflict', counts.conflict ?? 0],
      ['requests of NATS that failed', counts.nats_error ?? 0],
    ];
  }
}

/** A time in ms, as text. */
export const seconds = (ms: number | undefined) => (ms === undefined ? '-' : `${(ms / 1_000).toFixed(1)} s`);
