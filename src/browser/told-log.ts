import { checkpointOf, type Checkpoint, type SharedWatch } from '../stream/index.js';
import type { Told } from './tab-message.js';

/** So many signals are kept for tabs that have missed them. */
const MOST_TOLD = 50;

/** What a tab has been told, and where it is. */
export class ToldLog<A> {
  /** Each answer is the whole state. */
  readonly isState: boolean;
  #told: Told<A>[] = [];
  #position: Checkpoint | undefined;

  constructor({ from, isState = false }: SharedWatch) {
    this.#position = from;
    this.isState = isState;
  }

  /** Where to resume. */
  get position(): Checkpoint | undefined {
    return this.#position;
  }

  /** Goes to a position without having been told what lies between. */
  skipTo(position: Checkpoint | undefined): void {
    this.#position = position;
    this.#told = [];
  }

  /** Whether a signal is the next one, or known already, or comes after others that are missing. */
  place({ after, signal }: Told<A>): 'next' | 'known' | 'later' {
    if (this.isState || this.#position === undefined || this.#position.index === after) return 'next';
    return checkpointOf(signal)?.index === this.#position.index ? 'known' : 'later';
  }

  /** Takes the next signal. */
  add(told: Told<A>): void {
    const { signal } = told;
    this.#position = checkpointOf(signal) ?? this.#position;
    if (this.isState) this.#told = signal.kind === 'answer' ? [told] : this.#told;
    else this.#told = [...this.#told, told].slice(-MOST_TOLD);
  }

  /** What followed a position; undefined if that is not known any more. */
  since(position: Checkpoint | undefined): readonly Told<A>[] | undefined {
    if (this.isState) return this.#told;
    if (position === undefined || position.index === this.#position?.index) return [];
    // The last one: an index may come again after a restart of the service.
    let first = this.#told.map(({ after }) => after).lastIndexOf(position.index);
    // A gap is told before the answer that it precedes.
    while (this.#told[first - 1]?.after === position.index) first--;
    return first === -1 ? undefined : this.#told.slice(first);
  }
}
