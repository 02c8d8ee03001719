import type { Item, Row } from './item.js';

/** How many changes are kept while the picture is not drawn because its page is hidden. */
const MAX_CHANGES = 5_000;

/** Makes and changes items. Remembers which of them the picture has to draw again. */
export class ChangedItems {
  #changed = new Set<Item>();

  add(row: Row, shape: Item['shape'], from: number, rest: Partial<Item>): Item {
    const item: Item = { row, shape, from, to: undefined, tone: '', letter: '', text: '', nth: 0, ...rest };
    this.#changed.add(item);
    if (this.#changed.size > MAX_CHANGES) this.#forgetOldest();
    return item;
  }

  change(item: Item | undefined, by: Partial<Pick<Item, 'to' | 'tone' | 'text'>>): void {
    if (!item) return;
    Object.assign(item, by);
    this.#changed.add(item);
  }

  /** The items that have changed since the last call. */
  take(): ReadonlySet<Item> {
    const changes = this.#changed;
    this.#changed = new Set();
    return changes;
  }

  /** Forgets the oldest item that has ended. An item that has not ended must still be drawn. */
  #forgetOldest(): void {
    for (const oldest of this.#changed) {
      if (oldest.to === undefined) continue;
      this.#changed.delete(oldest);
      return;
    }
  }
}
