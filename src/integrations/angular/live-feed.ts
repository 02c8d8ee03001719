import { assertInInjectionContext, computed, ErrorHandler, inject, signal, type Signal } from '@angular/core';
import type { Subscription } from 'rxjs';
import type { LiveEvent, LobbyJoinEvent, NoOwnEvents, Profile } from '../../protocol/index.js';
import { ofKind, type Gap, type WatchStatus } from '../../stream/index.js';
import { feedState } from '../views/index.js';
import { injectFollow } from './inject-follow.js';
import { eventsOf, FEED_SHARING, injectLobbyClient, CLIENT_APP } from './lobby.js';

/** The client's feed as signals, until what injected it is destroyed. */
export interface LiveFeed<Own extends object = NoOwnEvents> {
  /**
   * The status of the poll: `live`, `retrying` and so on. `closed` with an `error` if polling again
   * cannot help.
   */
  readonly status: Signal<WatchStatus>;
  /**
   * The last gap, until it is dismissed: whatever events keep up to date has to be loaded afresh.
   */
  readonly gap: Signal<Gap | undefined>;
  /** The lobby to join that came last, until it is dismissed. */
  readonly lobbyJoin: Signal<LobbyJoinEvent | undefined>;
  /** When the reservation of that ends, in ms since 1970. */
  readonly lobbyJoinExpiresAt: Signal<number | undefined>;
  /** It has ended: the lobby server will refuse the player token. */
  readonly isLobbyJoinExpired: Signal<boolean>;
  /**
   * The profiles that have come, each as it was last, by `identity_id`: the 1,000 that changed
   * last.
   */
  readonly profiles: Signal<ReadonlyMap<string, Profile>>;
  /** Whether this tab polls: false if another one does it, with `withOneFeedForAllTabs`. */
  readonly leads: Signal<boolean>;
  /** Takes a gap or a lobby join out of the signals of all components: it has been dealt with. */
  dismiss(handled: Gap | LobbyJoinEvent): void;
  /** Tries now. Begins again if the feed has been closed. */
  reload(): void;
  /**
   * Calls a handler, inside the zone, for each event of a kind, until what injected the feed is
   * destroyed; unsubscribe to end it before. What the handler throws goes to Angular's
   * `ErrorHandler`. Register handlers at once: what has happened without a subscriber comes first.
   */
  on<K extends LiveEvent<Own>['kind']>(
    kind: K,
    handler: (event: Extract<LiveEvent<Own>, { kind: K }>) => void,
  ): Subscription;
}

/**
 * Injects the client's feed as signals. All that inject it share one poll, which ends `linger` ms
 * after the last of them is destroyed. On a server it does not poll: there is no user to show an
 * event to. Signals are set outside of the zone, so that nothing is rendered while nothing happens.
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
  const { state, current, event$ } = injectFollowedFeed<Own>();
  const { zone, profiles } = inject(CLIENT_APP);
  const errors = inject(ErrorHandler);
  const follow = injectFollow();
  const leads = signal(true);
  const leads$ = inject(FEED_SHARING)?.leads$;
  if (leads$) follow(leads$, isLeading => leads.set(isLeading));
  return {
    status: computed(() => current().status),
    gap: computed(() => current().gap),
    lobbyJoin: computed(() => current().lobbyJoin),
    lobbyJoinExpiresAt: computed(() => current().lobbyJoinExpiresAt),
    isLobbyJoinExpired: computed(() => current().isLobbyJoinExpired ?? false),
    profiles: profiles.byId,
    leads: leads.asReadonly(),
    dismiss: handled => state.dismiss(handled),
    reload: () => state.reload(),
    on: (kind, handler) =>
      follow(event$.pipe(ofKind(kind)), event => {
        try {
          zone.inside(() => handler(event));
        } catch (error) {
          errors.handleError(error);
        }
      }),
  };
}

/**
 * The client's feed, which is polled for as long as what injects it lives: its state, as it is now,
 * and its events.
 */
export function injectFollowedFeed<Own extends object>() {
  const client = injectLobbyClient<Own>();
  const { zone, isServer } = inject(CLIENT_APP);
  const state = feedState(client);
  const current = signal(state.value);
  if (!isServer) injectFollow()(zone.outside(state), next => current.set(next));
  return { state, current: current.asReadonly(), event$: zone.outside(eventsOf(client.events.feed)) };
}
