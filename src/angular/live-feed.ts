import { assertInInjectionContext, ErrorHandler, inject, signal, type Signal } from '@angular/core';
import type { Subscription } from 'rxjs';
import type { LiveEvent, NoOwnEvents, Profile } from '../protocol/index.js';
import { ofKind, type Gap, type WatchStatus } from '../stream/index.js';
import { connecting } from './connecting.js';
import { injectFollow } from './inject-follow.js';
import { FEED_SHARING, injectLobby, LOBBY_APP } from './lobby.js';

/** The client's feed as signals, for as long as what injected it lives. */
export interface LiveFeed<Own extends object = NoOwnEvents> {
  /** The status of the poll: `live`, `retrying` and so on. `closed` with an `error` if polling again cannot help. */
  readonly status: Signal<WatchStatus>;
  /** The profiles that have come, each as it was last, by `identity_id`: the 1,000 that changed last. */
  readonly profiles: Signal<ReadonlyMap<string, Profile>>;
  /** The last gap: events may have been missed before that, so that whatever they keep up to date has to be loaded afresh. */
  readonly gap: Signal<Gap | undefined>;
  /** Whether this tab polls: false if another one does it, with `withOneFeedForAllTabs`. */
  readonly leads: Signal<boolean>;
  /**
   * Calls a handler, inside the zone, for each event of a kind. It ends by itself; unsubscribe to end it before. What the handler
   * throws goes to Angular's `ErrorHandler`.
   */
  on<K extends LiveEvent<Own>['kind']>(
    kind: K,
    handler: (event: Extract<LiveEvent<Own>, { kind: K }>) => void,
  ): Subscription;
}

/** So many profiles are kept. */
const MOST_PROFILES = 1_000;

/**
 * Injects the client's feed as signals. All that inject it share one poll, which ends when the last of them is destroyed. On a
 * server it does not poll: there is nobody to show an event to. Signals are set outside of the zone, so that nothing is rendered
 * while nothing happens.
 *
 * Throws outside of an injection context.
 *
 * @example
 * readonly feed = injectFeed();
 * constructor() {
 *   this.feed.on('matchmaker_lobby_join', join => this.connect(lobbyAddress(join).url));
 * }
 */
export function injectFeed<Own extends object = NoOwnEvents>(): LiveFeed<Own> {
  assertInInjectionContext(injectFeed);
  const { feed } = injectLobby<Own>().events;
  const { life } = inject(LOBBY_APP);
  const errors = inject(ErrorHandler);
  const follow = injectFollow();
  const status = signal(connecting());
  const profiles = signal<ReadonlyMap<string, Profile>>(new Map());
  const gap = signal<Gap | undefined>(undefined);
  const leads = signal(true);
  const sharing = inject(FEED_SHARING, { optional: true });
  if (sharing) follow(sharing.leads$, isLeading => leads.set(isLeading));
  follow(feed.status$, next => status.set(next));
  follow(feed.gap$, next => gap.set(next));
  follow(feed.identityUpdate$, ({ identity }) => profiles.update(before => withProfile(before, identity)));
  return {
    status: status.asReadonly(),
    profiles: profiles.asReadonly(),
    gap: gap.asReadonly(),
    leads: leads.asReadonly(),
    on: (kind, handler) =>
      follow(feed.all$.pipe(ofKind(kind)), event => {
        try {
          life.inside(() => handler(event));
        } catch (error) {
          errors.handleError(error);
        }
      }),
  };
}

function withProfile(before: ReadonlyMap<string, Profile>, profile: Profile): ReadonlyMap<string, Profile> {
  const profiles = new Map(before);
  // Moves it to the end: the first ones are those that have not changed for longest.
  profiles.delete(profile.identity_id);
  profiles.set(profile.identity_id, profile);
  for (const id of profiles.keys()) {
    if (profiles.size <= MOST_PROFILES) break;
    profiles.delete(id);
  }
  return profiles;
}
