import { map, type Observable } from 'rxjs';
import { checkOptions, positiveInteger, type Options } from '../error/index.js';
import type { Profile } from '../protocol/index.js';
import type { EventFeed } from '../stream/index.js';
import { fold } from './fold.js';

/** The options of {@link identities}. */
export interface IdentitiesConfig {
  /** The maximum number of profiles. The least recently updated one is dropped first. Default 10,000. */
  readonly max?: number;
}

const OPTIONS: Options<IdentitiesConfig> = { max: positiveInteger };

/**
 * Collects the latest profiles from a feed, by `identity_id`. Emits an empty map first, then a new map for each update. A feed
 * is no snapshot: identities that have not changed since the subscription are missing. Cold, over the shared feed. It never
 * completes, and ends with the feed's error.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * identities(client.events.feed).subscribe(profiles => show(profiles.get(identity_id)?.display_name));
 */
export function identities(
  feed: Pick<EventFeed, 'identityUpdate$'>,
  config: IdentitiesConfig = {},
): Observable<ReadonlyMap<string, Profile>> {
  checkOptions(config, OPTIONS);
  const { max = 10_000 } = config;
  return feed.identityUpdate$.pipe(
    map(({ identity }) => identity),
    fold(
      (known, identity) => {
        const next = new Map(known);
        keepProfile(next, identity, max);
        return next;
      },
      new Map<string, Profile>() as ReadonlyMap<string, Profile>,
    ),
  );
}

/** Adds a profile to a map of the latest ones. The least recently updated one is dropped if there are more than `max`. */
export function keepProfile(profiles: Map<string, Profile>, profile: Profile, max: number): void {
  // Deleted first, so that it moves to the end of the map's order.
  profiles.delete(profile.identity_id);
  profiles.set(profile.identity_id, profile);
  const [oldest] = profiles.keys();
  if (profiles.size > max && oldest !== undefined) profiles.delete(oldest);
}
