import {
  checkpointOf,
  connecting,
  type Checkpoint,
  type SharedWatch,
  type WatchSignal,
  type WatchStatus,
} from '../../stream/index.js';
import type { Relayed } from './tab-message.js';

/** The number of signals that are kept for tabs that have missed them. */
const MAX_RELAYED = 50;

/** The last signals that a tab has taken from the shared watch, and its status. */
export class RelayedLog<A> {
  /** Whether each answer is the whole state. */
  readonly isState: boolean;
  #relayed: readonly Relayed<A>[] = [];
  #position: Checkpoint | undefined;
  #status: WatchStatus;

  constructor({ from, isState = false }: SharedWatch, now: number) {
    this.#position = from;
    this.#status = connecting(now);
    this.isState = isState;
  }

  get status(): WatchStatus {
    return this.#status;
  }

  /** Where to resume. */
  get position(): Checkpoint | undefined {
    return this.#position;
  }

  get index(): string | undefined {
    return this.#position?.index;
  }

  /**
   * Takes the signals that are the next ones. If the log has no position yet, it goes to the given
   * one.
   */
  take(all: readonly Relayed<A>[], position?: Checkpoint): readonly WatchSignal<A>[] {
    const signals = all.flatMap(relayed => {
      if (this.orderOf(relayed) !== 'next') return [];
      this.#add(relayed);
      return [relayed.signal];
    });
    if (this.#position || !position) return signals;
    return [...signals, ...this.skipTo(position)];
  }

  /** Whether a signal is the next one, or known already, or comes after others that are missing. */
  orderOf({ since, signal }: Relayed<A>): 'next' | 'known' | 'later' {
    if (signal.kind === 'status' || this.isState) return 'next';
    if (!this.#position || this.index === since) return 'next';
    return checkpointOf(signal)?.index === this.index ? 'known' : 'later';
  }

  #add(relayed: Relayed<A>): void {
    const { signal } = relayed;
    this.#position = checkpointOf(signal) ?? this.#position;
    if (signal.kind === 'status') {
      this.#status = signal.status;
    } else if (!this.isState) {
      this.#relayed = [...this.#relayed, relayed].slice(-MAX_RELAYED);
    } else if (signal.kind === 'answer') {
      // Kept without its status. A tab that asks later gets the status at that time.
      const { kind, answer, checkpoint } = signal;
      const kept = checkpoint ? { kind, answer, checkpoint } : { kind, answer };
      this.#relayed = [{ since: relayed.since, signal: kept }];
    }
  }

  /**
   * Goes to a position without the signals before it. Returns a signal with that position, from
   * which a follower continues.
   */
  skipTo(checkpoint: Checkpoint): readonly WatchSignal<A>[] {
    this.#position = checkpoint;
    this.#relayed = [];
    // A state has no position.
    return this.isState ? [] : [{ kind: 'checkpoint', checkpoint }];
  }

  /** The signals after a position. `undefined` if they are no longer known. */
  signalsSince(position: Checkpoint | undefined): readonly Relayed<A>[] | undefined {
    if (this.isState) return this.#relayed;
    if (position === undefined || position.index === this.index) return [];
    // The last one, since an index may come again after a restart of the service.
    let first = this.#relayed.map(({ since }) => since).lastIndexOf(position.index);
    // A gap has the same index before it as the answer that it precedes.
    while (this.#relayed[first - 1]?.since === position.index) first--;
    return first === -1 ? undefined : this.#relayed.slice(first);
  }

  /** Whether a new leader that polls from a position would leave something out for the others. */
  knowsMoreThan(position: Checkpoint | undefined): boolean {
    if (this.isState) return false;
    if (!position) return this.#position !== undefined;
    const missed = this.signalsSince(position) ?? [];
    return missed.length > 0;
  }
}
