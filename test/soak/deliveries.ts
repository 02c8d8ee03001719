import type { WatcherReport } from './messages.js';

/**
 * An event as it was delivered: its number, counted for its identity, and when it was published, in
 * ms since 1970.
 */
export interface DeliveredEvent {
  readonly n: number;
  readonly at: number;
}

/** Counts what is delivered to many watches, and what is missing. */
export class Deliveries {
  readonly #next: number[] = [];
  readonly #hasGap: boolean[] = [];
  #lastAt = Date.now();
  #figures = { deliveries: 0, longestSilence: 0, gaps: 0, lost: 0, lostInGap: 0, twice: 0 };

  /** What a watch has acknowledged: its events, and the gap before them, if there is one. */
  add(watch: number, events: readonly DeliveredEvent[], isAfterGap: boolean): void {
    const figures = this.#figures;
    if (isAfterGap) {
      figures.gaps++;
      this.#hasGap[watch] = true;
    }
    if (events.length === 0) return;
    const now = Date.now();
    figures.longestSilence = Math.max(figures.longestSilence, now - Math.max(this.#lastAt, events[0]!.at));
    this.#lastAt = now;
    for (const { n } of events) {
      const next = this.#next[watch] ?? 0;
      const hasGap = this.#hasGap[watch] === true;
      figures.deliveries++;
      if (n > next) figures[hasGap ? 'lostInGap' : 'lost'] += n - next;
      if (n < next && !hasGap) figures.twice++;
      this.#next[watch] = Math.max(next, n + 1);
    }
    this.#hasGap[watch] = false;
  }

  report(watches: number): Omit<WatcherReport, 'kind' | 'ready' | 'ended'> {
    const next = Array.from({ length: watches }, (_, watch) => this.#next[watch] ?? 0);
    return { ...this.#figures, lastAt: this.#lastAt, next };
  }
}
