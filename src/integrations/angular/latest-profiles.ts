import { computed, signal } from '@angular/core';
import type { Profile } from '../../protocol/index.js';

/** How many profiles are kept. */
const MAX_PROFILES = 1_000;

/** The most recently changed profiles. */
export class LatestProfiles {
  readonly #profiles = new Map<string, Profile>();
  /** How many profiles have been received. */
  readonly #count = signal(0);
  /** The map is copied only when it is read. */
  readonly byId = computed((): ReadonlyMap<string, Profile> => {
    this.#count();
    return new Map(this.#profiles);
  });

  keep(profile: Profile): void {
    // Deleted first, so that it moves to the end of the map's order.
    this.#profiles.delete(profile.identity_id);
    this.#profiles.set(profile.identity_id, profile);
    const [oldest] = this.#profiles.keys();
    if (this.#profiles.size > MAX_PROFILES && oldest !== undefined) this.#profiles.delete(oldest);
    this.#count.update(count => count + 1);
  }
}
