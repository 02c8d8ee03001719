import { assertInInjectionContext, ErrorHandler, inject, signal, type Signal } from '@angular/core';
import type { Subscription } from 'rxjs';
import type { LiveEvent, NoOwnEvents, Profile } from '../../protocol/index.js';
import { ofKind, type Gap, type WatchStatus } from '../../stream/index.js';
import { injectFollow } from './inject-follow.js';
import { FEED_HUB, FEED_SHARING, LOBBY_APP } from './lobby.js';

/** The client's feed as signals, until what injected it is destroyed. */
export interface LiveFeed<Own extends object = NoOwnEvents> {
  /** The status of the poll: `live`, `retrying` and so on. `closed` with an `error` if polling again cannot help. */
  readonly status: Signal<WatchStatus>;
  /** The profiles that have come, each as it was last, by `identity_id`: the 1,000 that changed last. */
  readonly profiles: Signal<ReadonlyMap<string, Profile>>;
  /** The last gap: events may have been missed before that, so that whatever they keep up to date has to be loaded afresh. */
  readonly gap: Signal<Gap | undefined>;
  /** Whether this tab polls: false if another one does it, with `withOneFeedForAllTabs`. */
  readonly leads: Signal<boolean>;
  /** Polls again: after the feed has been closed, or to not wait for the next attempt. */
  reload(): void;
  /**
   * Calls a handler, inside the zone, for each event of a kind, until what injected the feed is destroyed; unsubscribe to end it
   * before. What the handler throws goes to Angular's `ErrorHandler`. Register handlers at once: what has happened without a subscriber comes first.
   */
  on<K extends LiveEvent<Own>['kind']>(
    kind: K,
    handler: (event: Extract<LiveEvent<Own>, { kind: K }>) => void,
  ): Subscription;
}

/**
 * Injects the client's feed as signals. All that inject it share one poll, which ends `linger` ms after the last of them is
 * destroyed. On a server it does not poll: there is no user to show an event to. Signals are set outside of the zone, so that nothing is rendered
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
  const hub = inject(FEED_HUB);
  const { life } = inject(LOBBY_APP);
  const errors = inject(ErrorHandler);
  const follow = injectFollow();
  const leads = signal(true);
  const leads$ = inject(FEED_SHARING)?.leads$;
  if (leads$) follow(leads$, isLeading => leads.set(isLeading));
  // The status and the profiles are those of a feed that is followed.
  follow(hub.event$(), () => undefined);
  return {
    status: hub.status.asReadonly(),
    profiles: hub.profiles,
    gap: hub.gap.asReadonly(),
    leads: leads.asReadonly(),
    reload: () => hub.reload(),
    on: (kind, handler) =>
      follow(hub.event$<Own>().pipe(ofKind(kind)), event => {
        try {
          life.inside(() => handler(event));
        } catch (error) {
          errors.handleError(error);
        }
      }),
  };
}
