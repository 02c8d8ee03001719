import type { PublishedEvent } from '../world/event-service.js';
import type { JournalEntry } from '../world/journal.js';
import { HiddenAge } from './hidden-age.js';
import type { Violation } from './violation.js';

/** What to expect of a subscriber. */
export interface DeliveryConfig {
  /** What has been delivered counts only when it has been acknowledged. */
  readonly acks: boolean;
  /**
   * A gap may come with the answer after the next one: events may wait in a queue, or the client
   * may have slept while it polled, which it notices only when it polls again.
   */
  readonly mayBeLate: boolean;
  /**
   * When the simulation ends, in true time, and how long before that an event must have been
   * published to be expected.
   */
  readonly end: number;
  readonly settle: number;
}

/**
 * Judges what was delivered. An event is lost without a gap if the watch has gone on past it, and
 * no gap came after its publication and before that: who reloads at a gap has everything that was
 * published before it. What a clock hides that was set back cannot be asked for.
 */
export class DeliveryJudge {
  readonly violations: Violation[] = [];
  readonly #events: readonly PublishedEvent[];
  readonly #config: DeliveryConfig;
  readonly #delivered = new Set<number>();
  /** What would come again after a crash. */
  readonly #unacknowledged = new Set<number>();
  /** What came since the last reason for the service to send something again. */
  readonly #recent = new Set<number>();
  #lastStamp = -Infinity;
  /**
   * The last gap that the subscriber will not forget, and the last one at all. Each covers what was
   * published before it.
   */
  #covered = { safely: -Infinity, until: -Infinity };
  /** What was published before the first answer is not expected. */
  #begin: number | undefined;
  #hasCheckpoint = false;
  readonly #answers = new Map<string, number>();
  /** Up to here the watch has gone on, and has been judged. */
  #passed = -Infinity;
  /** What the last poll was sent from, and what that of the last answer was. */
  #sentFrom = -Infinity;
  #due = -Infinity;
  readonly #age = new HiddenAge();

  constructor(events: readonly PublishedEvent[], config: DeliveryConfig) {
    this.#events = events;
    this.#config = config;
  }

  see(entry: JournalEntry): void {
    this.#judge(entry);
    this.#age.see(entry);
  }

  #judge(entry: JournalEntry): void {
    switch (entry.kind) {
      case 'answer':
        this.#begin ??= entry.producedAt;
        this.#answers.set(entry.index, entry.producedAt);
        this.#due = this.#sentFrom;
        if (this.#age.hides(entry)) this.#covered.until = Math.max(this.#covered.until, entry.producedAt);
        break;
      case 'request':
        return this.#onRequest(entry);
      case 'delivered':
        for (const id of entry.ids) this.#onDelivered(id, entry);
        break;
      case 'gap':
        this.#covered.until = entry.true;
        if (!this.#config.acks) this.#covered.safely = entry.true;
        return this.#mayRepeat();
      case 'gap in ack':
        this.#covered.until = entry.true;
        break;
      case 'acknowledged':
        this.#hasCheckpoint = true;
        this.#covered.safely = this.#covered.until;
        this.#unacknowledged.clear();
        break;
      case 'not acknowledged':
      case 'resumed':
        return this.#onRollback(entry.kind);
      case 'ended':
        this.violations.push({ what: 'the watch ended', at: entry.true, detail: String(entry.error) });
        break;
    }
  }

  /** At the end of the simulation. */
  finish(): readonly Violation[] {
    const { end, settle } = this.#config;
    for (const event of this.#missing(-Infinity, end - settle))
      this.violations.push({ what: 'not delivered in time', at: end, detail: nameOf(event) });
    return this.violations;
  }

  /** An answer has been committed if the next poll is sent from its index. */
  #onRequest({ index, true: at }: Extract<JournalEntry, { kind: 'request' }>): void {
    const producedAt = index === undefined ? undefined : this.#answers.get(index);
    const until = this.#config.mayBeLate ? this.#due : (producedAt ?? -Infinity);
    for (const event of this.#missing(this.#passed, until)) {
      this.violations.push({ what: 'lost without a gap', at, detail: nameOf(event) });
      // Once is enough.
      this.#delivered.add(event.id);
    }
    this.#passed = Math.max(this.#passed, until);
    this.#sentFrom = producedAt ?? -Infinity;
  }

  #onDelivered(id: number, { true: at }: JournalEntry): void {
    const event = this.#events[id - 1];
    if (!event) return void this.violations.push({ what: 'an unknown event', at, detail: String(id) });
    if (this.#recent.has(id)) this.violations.push({ what: 'doubled', at, detail: nameOf(event) });
    else if (event.stamp < this.#lastStamp)
      this.violations.push({ what: 'out of order', at, detail: nameOf(event) });
    this.#lastStamp = event.stamp;
    this.#recent.add(id);
    this.#delivered.add(id);
    if (this.#config.acks) this.#unacknowledged.add(id);
  }

  #onRollback(kind: 'resumed' | 'not acknowledged'): void {
    for (const id of this.#unacknowledged) this.#delivered.delete(id);
    this.#unacknowledged.clear();
    this.#passed = -Infinity;
    this.#sentFrom = -Infinity;
    this.#due = -Infinity;
    if (kind === 'resumed') {
      this.#covered.until = this.#covered.safely;
      if (!this.#hasCheckpoint) this.#begin = undefined;
    }
    this.#mayRepeat();
  }

  #mayRepeat(): void {
    this.#recent.clear();
    this.#lastStamp = -Infinity;
  }

  /** The events of a time that have been neither delivered nor covered by a gap. */
  #missing(from: number, to: number): readonly PublishedEvent[] {
    const begin = this.#begin ?? Infinity;
    return this.#events.filter(
      ({ id, at, isHidden }) =>
        at > from &&
        at <= to &&
        at > begin &&
        at > this.#covered.until &&
        !isHidden &&
        !this.#delivered.has(id),
    );
  }
}

function nameOf({ id, at }: PublishedEvent): string {
  return `event ${id} of ${(at / 1_000).toFixed(2)} s`;
}
