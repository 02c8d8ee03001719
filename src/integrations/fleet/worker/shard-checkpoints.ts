import type { BareCheckpoint, BareCheckpoints } from './fleet-registry.js';

/**
 * How long a bare checkpoint may be unsaved, in ms. It is much shorter than the time for which the
 * service keeps events.
 */
const SAVE_AFTER_MS = 60_000;

/** Checkpoints older than this, in ms, are dropped. The service has long forgotten them. */
const LIFETIME_MS = 3_600_000;

/** The bare checkpoints of a shard. The most recently changed one is the last one. */
export class ShardCheckpoints {
  readonly #checkpoints: Map<string, BareCheckpoint>;
  /** On the monotonic clock. */
  #savedAt: number;
  #hasChanged = false;

  constructor(stored: BareCheckpoints, now: number) {
    this.#checkpoints = new Map(Object.entries(stored));
    this.#savedAt = now;
  }

  of(identity_id: string): BareCheckpoint | undefined {
    return this.#checkpoints.get(identity_id);
  }

  /** An identity has nothing new up to this checkpoint. */
  keep(identity_id: string, checkpoint: BareCheckpoint): void {
    this.#checkpoints.delete(identity_id);
    this.#checkpoints.set(identity_id, checkpoint);
    this.#hasChanged = true;
  }

  /** A newer record of the identity was stored. */
  drop(identity_id: string): void {
    this.#hasChanged = this.#checkpoints.delete(identity_id) || this.#hasChanged;
  }

  /**
   * Sorts identities in the order in which they are to be polled, those with the oldest checkpoints
   * first.
   */
  inOrder(identities: readonly string[]): readonly string[] {
    const since = (identity_id: string) => this.#checkpoints.get(identity_id)?.since ?? -Number.MAX_VALUE;
    return [...identities].sort((a, b) => since(a) - since(b));
  }

  /** Whether a checkpoint has not been saved for a while. */
  isUnsaved(now: number): boolean {
    return this.#hasChanged && now - this.#savedAt >= SAVE_AFTER_MS;
  }

  /** Returns the checkpoints to save. */
  save(now: number): BareCheckpoints {
    this.#savedAt = now;
    this.#hasChanged = false;
    for (const [identity_id, { since }] of this.#checkpoints) {
      if (since < now - LIFETIME_MS) this.#checkpoints.delete(identity_id);
    }
    return Object.fromEntries(this.#checkpoints);
  }
}
