import { merge, tap } from 'rxjs';
import type { EventFeed, Profile } from 'lobby-rx';
import type { Screen } from './screen.js';
import type { Summary } from './summary.js';

/** Profiles and presences as they change, and what is to be shown to the player at once. */
export function followProfiles(feed: EventFeed, screen: Screen, summary: Summary) {
  const known = new Map<string, Profile>();
  return merge(
    feed.identityUpdate$.pipe(
      tap(({ identity }) => {
        const before = known.get(identity.identity_id);
        known.set(identity.identity_id, identity);
        const status = identity.presence?.status;
        if (status !== undefined && status !== before?.presence?.status) {
          summary.presences++;
          screen.line('presence', identity.display_name, `is ${status}`);
        } else {
          summary.profiles++;
          screen.line('profile', identity.display_name, `“${identity.bio}”`);
        }
      }),
    ),
    feed.notification$.pipe(
      tap(({ notification, event }) => {
        summary.chats++;
        const kind = event.kind === 'unknown' ? event.name : event.kind;
        screen.line('message', notification.title, `${notification.description} (${kind})`);
      }),
    ),
  );
}
