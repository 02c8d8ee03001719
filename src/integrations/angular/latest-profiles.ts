import { computed, signal } from '@angular/core';
import type { Profile } from '../../protocol/index.js';
import { debugName } from './debug-name.js';

/** How many profiles are kept. */
const MAX_PROFILES = 1_000;

/** The most recently changed profiles. */
export class LatestProfiles {
  readonly #profiles = new Map<string, Profile>();
  /** Set to another object by each profile. */
  readonly #changed = signal({});
  /** The map is copied only when it is read. */
  readonly byId = computed((): ReadonlyMap<string, Profile> => {
    this.#changed();
    return new Map(this.#profiles);
  }, debugName('feed.profiles'));

  keep(profile: Profile): void {
    // Deleted first, so that it moves to the end of the map's order.
    this.#profiles.delete(profile.identity_id);
    this.#profiles.set(profile.identity_id, profile);
    const [oldest] = this.#profiles.keys();
    if (this.#profiles.size > MAX_PROFILES) this.#profiles.delete(oldest!);
    this.#changed.set({});
  }
}
