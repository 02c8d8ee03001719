import { merge, tap } from 'rxjs';
import type { EventFeed, Profile } from 'lobby-rx';
import type { Screen } from './screen.js';

/**
 * Follows profile and presence changes, and the notifications that a game would show to its player.
 */
export function followUpdates(feed: EventFeed, screen: Screen) {
  const { counts } = screen;
  const profiles = new Map<string, Profile>();
  return merge(
    feed.identityUpdate$.pipe(
      tap(({ identity }) => {
        const previous = profiles.get(identity.identity_id);
        profiles.set(identity.identity_id, identity);
        const status = identity.presence?.status;
        if (status !== undefined && status !== previous?.presence?.status) {
          counts.presences++;
          screen.line('presence', identity.display_name, `is ${status}`);
        } else {
          counts.profiles++;
          screen.line('profile', identity.display_name, `“${identity.bio}”`);
        }
      }),
    ),
    feed.notification$.pipe(
      tap(({ notification, event }) => {
        counts.messages++;
        const kind = event.kind === 'unknown' ? event.name : event.kind;
        screen.line('message', notification.title, `${notification.description} (${kind})`);
      }),
    ),
  );
}
