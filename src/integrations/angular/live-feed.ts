import { computed, inject, signal, type Signal } from '@angular/core';
import type { Subscription } from 'rxjs';
import type { LiveEvent, LobbyJoinEvent, NoOwnEvents, Profile } from '../../protocol/index.js';
import { ofKind, type Gap, type WatchStatus } from '../../stream/index.js';
import { feedState } from '../views/index.js';
import { debugName } from './debug-name.js';
import { injectFollow, injectHandle } from './inject-follow.js';
import { eventsOf, FEED_SHARING, injectLobbyClient, CLIENT_APP } from './lobby.js';
import { injectPausable, type PauseConfig } from './pausable.js';

/** The client's feed as signals, until the component or service that injected it is destroyed. */
export interface LiveFeed<Own extends object = NoOwnEvents> {
  /**
   * The status of the poll: `live`, `retrying` and so on. `closed` with an `error` if polling again
   * cannot help.
   */
  readonly status: Signal<WatchStatus>;
  /**
   * The last gap, until it is dismissed. Data that was loaded before it may be out of date, and has
   * to be loaded again.
   */
  readonly gap: Signal<Gap | undefined>;
  /** The last lobby to join, until it is dismissed. */
  readonly lobbyJoin: Signal<LobbyJoinEvent | undefined>;
  /** When the reservation in that lobby ends, in ms since 1970. */
  readonly lobbyJoinExpiresAt: Signal<number | undefined>;
  /** Whether the reservation has ended. Then the lobby server refuses the player token. */
  readonly isLobbyJoinExpired: Signal<boolean>;
  /** The 1,000 most recently changed profiles, by `identity_id`. */
  readonly profiles: Signal<ReadonlyMap<string, Profile>>;
  /** Whether this tab polls. With `withOneFeedForAllTabs`, only one tab does. */
  readonly leads: Signal<boolean>;
  /**
   * Takes a gap or a lobby join out of the signals of all components. Call it once it has been
   * dealt with.
   */
  dismiss(handled: Gap | LobbyJoinEvent): void;
  /** Polls now. Starts again if the feed has been closed. */
  reload(): void;
  /**
   * Calls a handler, inside the zone, for each event of a kind, until the component or service that
   * injected the feed is destroyed. Unsubscribe to stop earlier. An error of the handler goes to
   * Angular's `ErrorHandler`, and so does that of a promise or an Observable that it returns.
   * Register handlers at once, since queued events are emitted in the next tick.
   */
  on<K extends LiveEvent<Own>['kind']>(
    kind: K,
    handler: (event: Extract<LiveEvent<Own>, { kind: K }>) => void,
  ): Subscription;
}

/**
 * Injects the client's feed as signals. All components and services that inject it share one poll,
 * which ends `linger` ms after the last of them is destroyed. On a server it does not poll, since a
 * page that is rendered once shows no events. Signals are set outside of the zone, so that nothing
 * is rendered while nothing happens.
 *
 * Throws outside of an injection context.
 *
 * @example
 * readonly feed = injectFeed();
 * constructor() {
 *   this.feed.on('matchmaker_lobby_join', join => this.connect(lobbyAddress(join).url));
 * }
 */
export function injectFeed<Own extends object = NoOwnEvents>(config: PauseConfig = {}): LiveFeed<Own> {
  const { state, current, event$ } = injectFollowedFeed<Own>(config);
  const { profiles } = inject(CLIENT_APP);
  const handle = injectHandle();
  const follow = injectFollow();
  const leads = signal(true, debugName('feed.leads'));
  const leads$ = inject(FEED_SHARING)?.leads$;
  if (leads$) follow(leads$, isLeading => leads.set(isLeading));
  return {
    status: computed(() => current().status, debugName('feed.status')),
    gap: computed(() => current().gap, debugName('feed.gap')),
    lobbyJoin: computed(() => current().lobbyJoin, debugName('feed.lobbyJoin')),
    lobbyJoinExpiresAt: computed(() => current().lobbyJoinExpiresAt, debugName('feed.lobbyJoinExpiresAt')),
    isLobbyJoinExpired: computed(
      () => current().isLobbyJoinExpired ?? false,
      debugName('feed.isLobbyJoinExpired'),
    ),
    profiles: profiles.byId,
    leads: leads.asReadonly(),
    dismiss: handled => state.dismiss(handled),
    reload: () => state.reload(),
    on: (kind, handler) =>
      follow(event$.pipe(ofKind(kind)), event => handle('handler', () => handler(event))),
  };
}

/**
 * The state and the events of the client's feed. It is polled until the component or service that
 * injects it is destroyed. On a server it is not polled.
 */
export function injectFollowedFeed<Own extends object>({ isPaused }: PauseConfig) {
  const client = injectLobbyClient<Own>();
  const { zone } = inject(CLIENT_APP);
  const state = feedState(client);
  const current = signal(state.value);
  const shown$ = injectPausable()(state, isPaused);
  injectFollow()(zone.outside(shown$), next => current.set(next));
  return { state, current, event$: zone.outside(eventsOf(client.events.feed)) };
}
