import { map, type Observable } from 'rxjs';
import { checkOptions, positiveInteger, type Options } from '../error/index.js';
import type { Profile } from '../protocol/index.js';
import { fold, type EventFeed } from '../stream/index.js';

/** How many profiles {@link identities} keeps. */
export interface IdentitiesConfig {
  /** The one that was updated longest ago is dropped first. Default 10,000. */
  readonly most?: number;
}

const OPTIONS: Options<IdentitiesConfig> = { most: positiveInteger };

/**
 * The latest profile of everyone a feed has told of, by identity_id: an empty map first, then a new one for each update. The
 * feed is no snapshot: whoever has not changed since is not in it. Cold, over the shared feed; it never completes, and ends
 * with the feed's error.
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
  const { most = 10_000 } = config;
  return feed.identityUpdate$.pipe(
    map(({ identity }) => identity),
    fold(
      (known, identity) => {
        const next = new Map(known);
        // Deleted first, so that it becomes the newest of the map's order again.
        next.delete(identity.identity_id);
        next.set(identity.identity_id, identity);
        const [oldest] = next.keys();
        if (next.size > most && oldest !== undefined) next.delete(oldest);
        return next;
      },
      new Map<string, Profile>() as ReadonlyMap<string, Profile>,
    ),
  );
}
