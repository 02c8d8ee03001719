import type { GroupMember, MalformedMember } from '../../protocol/index.js';
import { idOf, idsOn, malformedIdOf, type GroupEntries } from './members.js';

/** A member that this number of refreshes in a row have missed has left. */
const MISSES = 3;

/**
 * The members of a group, as far as they have been seen. Pages are read one by one. A member that
 * moves between them during a refresh may be missed. So a missing member has left only if several
 * refreshes in a row miss them. A member that fails to decode is there, with the last record that
 * did not fail. `nextRoster` finds who joined, left or changed.
 */
export class KnownMembers {
  readonly #members = new Map<string, GroupMember>();
  readonly #malformed = new Map<string, MalformedMember>();
  /** The members that the last refreshes have missed, and how many refreshes that were. */
  readonly #missed = new Map<string, number>();
  /** Whether the whole group has been read. */
  isComplete = false;

  get isMissing(): boolean {
    return this.#missed.size > 0;
  }

  /** Adds some members. */
  add({ members, malformed = [] }: GroupEntries): void {
    for (const member of members) {
      const id = idOf(member);
      this.#members.set(id, member);
      this.#malformed.delete(id);
      this.#missed.delete(id);
    }
    for (const member of malformed) {
      const id = malformedIdOf(member);
      this.#malformed.set(id, member);
      this.#missed.delete(id);
    }
  }

  /** Takes the whole group at one time. There are no other members. */
  replaceAll(page: GroupEntries): void {
    for (const id of this.#others([page])) this.#drop(id);
    this.add(page);
    this.isComplete = true;
  }

  /** Takes all pages after a refresh, which may have missed members. */
  refresh(pages: readonly GroupEntries[]): void {
    for (const id of this.#others(pages)) {
      const misses = (this.#missed.get(id) ?? 0) + 1;
      if (misses < MISSES) this.#missed.set(id, misses);
      else this.#drop(id);
    }
    for (const page of pages) this.add(page);
    this.isComplete = true;
  }

  list(): Required<GroupEntries> {
    return { members: [...this.#members.values()], malformed: [...this.#malformed.values()] };
  }

  #others(pages: readonly GroupEntries[]): readonly string[] {
    const ids = new Set(pages.flatMap(idsOn));
    return [...this.#members.keys(), ...this.#malformed.keys()].filter(id => !ids.has(id));
  }

  #drop(id: string): void {
    this.#members.delete(id);
    this.#malformed.delete(id);
    this.#missed.delete(id);
  }
}
