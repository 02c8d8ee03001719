import type { GroupMember } from '../../protocol/index.js';
import { idOf } from './members.js';

/** A member that so many readings in a row have missed has left, although the group never rests. */
const MISSES = 3;

/**
 * The members of a group, as far as they have been seen. Pages are read one by one, and may miss who moves between them meanwhile: who is
 * missing from a reading has left only if the group was quiet all that time, or if several readings miss them.
 */
export class KnownMembers {
  readonly #members = new Map<string, GroupMember>();
  /** Those whom the last readings have missed, and how many of them. */
  readonly #missed = new Map<string, number>();
  /** Whether the whole group has been read. */
  isComplete = false;

  get isMissing(): boolean {
    return this.#missed.size > 0;
  }

  /** Some members. */
  see(members: readonly GroupMember[]): void {
    for (const member of members) {
      this.#members.set(idOf(member), member);
      this.#missed.delete(idOf(member));
    }
  }

  /** The whole group at one time: nobody else is a member. */
  seeAll(members: readonly GroupMember[]): void {
    for (const id of this.#others(members)) this.#drop(id);
    this.see(members);
    this.isComplete = true;
  }

  /** A reading of all pages, which may miss somebody. */
  read(members: readonly GroupMember[]): void {
    for (const id of this.#others(members)) this.#missed.set(id, (this.#missed.get(id) ?? 0) + 1);
    this.see(members);
    this.isComplete = true;
  }

  /** Drops who has left: all who are missing if the group was quiet, otherwise those who have been missing for long. */
  dropMissing(isQuiet: boolean): boolean {
    const gone = [...this.#missed].filter(([, misses]) => isQuiet || misses >= MISSES);
    for (const [id] of gone) this.#drop(id);
    return gone.length > 0;
  }

  list(): readonly GroupMember[] {
    return [...this.#members.values()];
  }

  #others(members: readonly GroupMember[]): readonly string[] {
    const ids = new Set(members.map(idOf));
    return [...this.#members.keys()].filter(id => !ids.has(id));
  }

  #drop(id: string): void {
    this.#members.delete(id);
    this.#missed.delete(id);
  }
}
