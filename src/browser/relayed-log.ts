import { checkpointOf, type Checkpoint, type SharedWatch } from '../stream/index.js';
import type { Relayed } from './tab-message.js';

/** The number of signals that are kept for tabs that have missed them. */
const MAX_RELAYED = 50;

/** The signals that a tab has received from the leader, and its position. */
export class RelayedLog<A> {
  /** Each answer is the whole state. */
  readonly isState: boolean;
  #relayed: Relayed<A>[] = [];
  #position: Checkpoint | undefined;

  constructor({ from, isState = false }: SharedWatch) {
    this.#position = from;
    this.isState = isState;
  }

  /** Where to resume. */
  get position(): Checkpoint | undefined {
    return this.#position;
  }

  /** Goes to a position without the signals before it. */
  skipTo(position: Checkpoint | undefined): void {
    this.#position = position;
    this.#relayed = [];
  }

  /** Whether a signal is the next one, or known already, or comes after others that are missing. */
  place({ after, signal }: Relayed<A>): 'next' | 'known' | 'later' {
    if (this.isState || this.#position === undefined || this.#position.index === after) return 'next';
    return checkpointOf(signal)?.index === this.#position.index ? 'known' : 'later';
  }

  /** Takes the next signal. */
  add(relayed: Relayed<A>): void {
    const { signal } = relayed;
    this.#position = checkpointOf(signal) ?? this.#position;
    if (this.isState) this.#relayed = signal.kind === 'answer' ? [relayed] : this.#relayed;
    else this.#relayed = [...this.#relayed, relayed].slice(-MAX_RELAYED);
  }

  /** What followed a position; undefined if that is not known any more. */
  since(position: Checkpoint | undefined): readonly Relayed<A>[] | undefined {
    if (this.isState) return this.#relayed;
    if (position === undefined || position.index === this.#position?.index) return [];
    // The last one: an index may come again after a restart of the service.
    let first = this.#relayed.map(({ after }) => after).lastIndexOf(position.index);
    // A gap comes before the answer that it precedes.
    while (this.#relayed[first - 1]?.after === position.index) first--;
    return first === -1 ? undefined : this.#relayed.slice(first);
  }
}
