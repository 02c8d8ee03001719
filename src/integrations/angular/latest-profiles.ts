import { computed, signal } from '@angular/core';
import type { Profile } from '../../protocol/index.js';

/** So many profiles are kept. */
const MAX_PROFILES = 1_000;

/** The profiles that changed last, each as it was last. */
export class LatestProfiles {
  readonly #profiles = new Map<string, Profile>();
  /** How many have come. */
  readonly #count = signal(0);
  /** They are copied only for a reader. */
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
