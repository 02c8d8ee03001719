import { inject } from '@angular/core';
import { aPlainValue, atOnce } from '../../error/index.js';
import type { WatchSharing } from '../../stream/index.js';
import { acrossTabs, type TabSharing } from '../browser/index.js';
import { FEED_SHARING, CLIENT_APP, type LobbyClientFeature } from './lobby.js';

/**
 * Lets one tab of the site poll the client's feed for all of them. See `acrossTabs` of
 * `lobby-rx/browser`. It changes the client's `events.feed`, and with it `injectFeed` and
 * `injectNotifications`. `name` is called once, in an injection context. It has to include the
 * identity, since tabs with the same name get the same events. On a server it has no effect.
 *
 * Injecting the client throws an `InputError` if the name is empty.
 *
 * @example
 * provideLobbyClient(
 *   () => ({ url, token }),
 *   withOneFeedForAllTabs(() => `events of ${inject(Session).identity_id}`),
 * )
 */
export function withOneFeedForAllTabs(name: () => string): LobbyClientFeature {
  return {
    providers: [
      {
        provide: FEED_SHARING,
        useFactory: () =>
          inject(CLIENT_APP).serverVisit ? null : sharing(atOnce('name', name, aPlainValue)()),
      },
    ],
  };
}

function sharing(name: string): TabSharing {
  const { zone, scheduler } = inject(CLIENT_APP);
  const tabs = acrossTabs(name, { scheduler });
  const share: WatchSharing = (watch, shared) => zone.outside(tabs(watch, shared));
  return Object.assign(share, { leads$: tabs.leads$ });
}
