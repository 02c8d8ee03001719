import type { Item, Row } from './item.js';

/** How many changes are kept for a picture that is not drawn, since its page is hidden. */
const MAX_CHANGES = 5_000;

/** Makes items and changes them. Knows which of them a picture has to draw again. */
export class ChangedItems {
  #changed = new Set<Item>();

  add(row: Row, shape: Item['shape'], from: number, rest: Partial<Item>): Item {
    const item: Item = { row, shape, from, to: undefined, tone: '', letter: '', text: '', nth: 0, ...rest };
    this.#changed.add(item);
    if (this.#changed.size > MAX_CHANGES) this.#forgetOldest();
    return item;
  }

  change(item: Item | undefined, by: Partial<Pick<Item, 'to' | 'tone' | 'text'>>): void {
    if (item) this.#changed.add(Object.assign(item, by));
  }

  /** What has changed since the last call. */
  take(): ReadonlySet<Item> {
    const changes = this.#changed;
    this.#changed = new Set();
    return changes;
  }

  /** What goes on has to be drawn, however long ago it began. */
  #forgetOldest(): void {
    for (const oldest of this.#changed) {
      if (oldest.to === undefined) continue;
      this.#changed.delete(oldest);
      return;
    }
  }
}
