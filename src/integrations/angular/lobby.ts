import { isPlatformServer } from '@angular/common';
import {
  DestroyRef,
  inject,
  InjectionToken,
  makeEnvironmentProviders,
  NgZone,
  PendingTasks,
  PLATFORM_ID,
  type EnvironmentProviders,
  type Provider,
} from '@angular/core';
import { asyncScheduler, defer, finalize, isObservable, merge, Subject, type SchedulerLike } from 'rxjs';
import type { TabSharing } from '../browser/index.js';
import { createClient, type Client, type ClientConfig } from '../../client/index.js';
import { checkArgument, given, plainObject } from '../../error/index.js';
import type { EventCodecs, NoOwnEvents } from '../../protocol/index.js';
import { defaultWake } from '../../stream/index.js';
import { fromFetch, type Token, type TokenValue, type Transport } from '../../transport/index.js';
import { AppLife } from './app-life.js';
import { FeedHub } from './feed-hub.js';
import { SharedRosters } from './shared-rosters.js';

/** Something to add to {@link provideLobby}. */
export interface LobbyFeature {
  readonly providers: readonly Provider[];
}

/** What features and injected streams need to know of the client that an injector provides. */
export interface LobbyApp {
  readonly life: AppLife;
  readonly config: ClientConfig<EventCodecs>;
  /** The clock of the client: what it schedules neither keeps the application unstable nor outlives it. */
  readonly scheduler: SchedulerLike;
  /** Makes the watches of the client poll soon, as when the machine wakes. */
  readonly wake$: Subject<void>;
}

export const LOBBY_APP = /* @__PURE__ */ new InjectionToken<LobbyApp>('LOBBY_APP');

/** How requests that do not block are sent; null if by the client's own transport. */
export const CALL_TRANSPORT = /* @__PURE__ */ new InjectionToken<Transport | null>('LOBBY_CALL_TRANSPORT');

/** What shares the client's feed with other tabs; null if nothing does, as on a server. */
export const FEED_SHARING = /* @__PURE__ */ new InjectionToken<TabSharing | null>('LOBBY_FEED_SHARING');

/** What everything in an injector has in common that follows the client's feed. */
export const FEED_HUB = /* @__PURE__ */ new InjectionToken<FeedHub>('LOBBY_FEED_HUB');

/** The groups that everything in an injector shows. */
export const SHARED_ROSTERS = /* @__PURE__ */ new InjectionToken<SharedRosters>('LOBBY_SHARED_ROSTERS');

/**
 * The client of an injector, as {@link provideLobby} configures it.
 *
 * @example
 * ```ts
 * TestBed.configureTestingModule({ providers: [{ provide: LOBBY, useValue: createClient(config) }] });
 * ```
 */
export const LOBBY = /* @__PURE__ */ new InjectionToken<Client>('LOBBY');

/**
 * Provides a client of the service: one for each injector that it is given to, and nothing outside of injectors, so that a
 * server has one for each request. `config` is called once, in an injection context, when the client is first injected.
 *
 * Polls run outside of the zone, so that they never keep an application unstable: neither `whenStable()` nor a server's rendering
 * waits for them. Plain requests are pending tasks, as those of `HttpClient` are. All of them end with the injector.
 *
 * Injecting the client throws an `InputError` if an option is unknown or invalid.
 *
 * @example
 * bootstrapApplication(App, {
 *   providers: [provideLobby(() => ({ url: 'https://api.example.com', token: tokenOf(inject(Session)) }))],
 * });
 */
export function provideLobby<const Codecs extends EventCodecs = NoOwnEvents>(
  config: () => ClientConfig<Codecs>,
  ...features: readonly LobbyFeature[]
): EnvironmentProviders {
  return makeEnvironmentProviders([
    { provide: LOBBY_APP, useFactory: () => createApp(config()) },
    { provide: LOBBY, useFactory: createLobby },
    { provide: FEED_HUB, useFactory: createHub },
    { provide: SHARED_ROSTERS, useFactory: createRosters },
    // Those of a parent are for its own client.
    { provide: CALL_TRANSPORT, useValue: null },
    { provide: FEED_SHARING, useValue: null },
    features.map(({ providers }) => providers),
  ]);
}

/**
 * Injects the client. `Own` has the payloads of your own event kinds. Throws if no {@link provideLobby} is there, or outside of an
 * injection context.
 *
 * @example
 * readonly #lobby = injectLobby();
 */
export function injectLobby<Own extends object = NoOwnEvents>(): Client<Own> {
  return inject(LOBBY) as unknown as Client<Own>;
}

function createApp(config: ClientConfig<EventCodecs>): LobbyApp {
  checkArgument('what provideLobby() is given', plainObject, config);
  // Refuses what is invalid before any of it is used. It sends nothing.
  createClient(config);
  const life = new AppLife(inject(NgZone), inject(DestroyRef));
  const scheduler = life.scheduler(config.scheduler ?? asyncScheduler);
  return { life, config: given(config), scheduler, wake$: new Subject() };
}

function createHub(): FeedHub {
  const { life, scheduler, wake$ } = inject(LOBBY_APP);
  const { feed } = inject(LOBBY).events;
  return new FeedHub({ feed, life, scheduler, wake$, isServer: isPlatformServer(inject(PLATFORM_ID)) });
}

function createRosters(): SharedRosters {
  const { life, scheduler, wake$ } = inject(LOBBY_APP);
  return new SharedRosters({ group: inject(LOBBY).group, life, scheduler, wake$ });
}

function createLobby(): Client {
  const { life, config, scheduler, wake$ } = inject(LOBBY_APP);
  const ownWake$ = config.watch?.wake$ ?? defaultWake(scheduler, config.testing?.monotonic);
  const transport = config.transport ?? fromFetch({ scheduler });
  const call = inject(CALL_TRANSPORT) ?? pendingTasks(transport);
  const client = createClient({
    ...config,
    scheduler,
    token: untilDestroyed(config.token, life),
    // A feed that lingers when the injector ends stays, since its timer ends, too: it must not hold on to the page.
    watch: { ...config.watch, wake$: life.untilDestroyed(merge(wake$, ownWake$)) },
    transport: request =>
      request.kind === 'poll' ? life.outside(transport(request)) : life.untilDestroyed(call(request)),
  }) as unknown as Client;
  const share = inject(FEED_SHARING);
  if (share) Object.defineProperty(client.events, 'feed', { value: client.events.createFeed({ share }) });
  return client;
}

/** A token that is asked for no longer than the injector lives. */
function untilDestroyed(token: Token, life: AppLife): Token {
  const until = (value: TokenValue) => (isObservable(value) ? life.untilDestroyed(value) : value);
  if (typeof token === 'function') return () => until(token());
  if (typeof token !== 'object') return token;
  return { get: () => until(token.get()), renew: () => until(token.renew() as TokenValue) };
}

/** Requests that the application waits for before it is stable, and a server before it renders. */
function pendingTasks(transport: Transport): Transport {
  const tasks = inject(PendingTasks);
  return request => defer(() => transport(request).pipe(finalize(tasks.add())));
}
