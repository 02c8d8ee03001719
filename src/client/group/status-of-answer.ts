import type { StatusSignal, WatchStatus } from '../../stream/index.js';

/**
 * A watch is live before it emits the answer that says so. A roster is live with its members. So
 * that status waits for the answer, and follows it.
 */
export class StatusOfAnswer {
  #waiting: StatusSignal | undefined;

  /** The status that the next answer begins. `undefined` if it begins none. */
  get status(): WatchStatus | undefined {
    return this.#waiting?.status;
  }

  /**
   * Returns the status to emit now. The list is empty if an answer with this status is about to
   * come.
   */
  onStatus(signal: StatusSignal, before: WatchStatus): readonly StatusSignal[] {
    const { state, lastAnswer } = signal.status;
    if (state !== 'live' || lastAnswer === before.lastAnswer) return [signal];
    this.#waiting = signal;
    return [];
  }

  /** The answer has come, with members or without news. */
  onAnswer(): readonly StatusSignal[] {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting ? [waiting] : [];
  }
}
