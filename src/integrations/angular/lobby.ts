import {
  ApplicationRef,
  DestroyRef,
  ErrorHandler,
  inject,
  InjectionToken,
  makeEnvironmentProviders,
  NgZone,
  PendingTasks,
  type EnvironmentProviders,
  type Provider,
} from '@angular/core';
import {
  asyncScheduler,
  concatMap,
  defer,
  finalize,
  takeUntil,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { createClient, type Client, type ClientConfig } from '../../client/index.js';
import { anAnswerObject, atOnce } from '../../error/index.js';
import type { EventCodecs, LiveEvent, NoOwnEvents } from '../../protocol/index.js';
import { answers, type EventFeed } from '../../stream/index.js';
import { fromFetch, type Transport } from '../../transport/index.js';
import type { TabSharing } from '../browser/index.js';
import { feedState } from '../views/index.js';
import { AppZone } from './app-zone.js';
import { LatestProfiles } from './latest-profiles.js';
import { checkedLobbyClientConfig, type LobbyClientConfig } from './lobby-client-config.js';
import { injectServerVisit, type ServerVisit } from './server-visit.js';
import { serviceWorkerBypass } from './service-worker-bypass.js';

/** Something to add to {@link provideLobbyClient}. */
export interface LobbyClientFeature {
  readonly providers: readonly Provider[];
}

/** The facts about the client of an injector that features and injected streams need. */
export interface ClientApp {
  readonly zone: AppZone;
  readonly config: ClientConfig<EventCodecs>;
  /** The clock of the client. Its timers do not keep the application unstable. */
  readonly scheduler: SchedulerLike;
  /** `undefined` in a browser. */
  readonly serverVisit: ServerVisit | undefined;
  readonly bypassServiceWorker: boolean;
  readonly profiles: LatestProfiles;
}

export const CLIENT_APP = /* @__PURE__ */ new InjectionToken<ClientApp>('CLIENT_APP');

/** How plain requests are sent. `null`: by the transport of the client. */
export const CALL_TRANSPORT = /* @__PURE__ */ new InjectionToken<Transport | null>('CALL_TRANSPORT');

/** Shares the client's feed with other tabs. `null`: it is not shared, as on a server. */
export const FEED_SHARING = /* @__PURE__ */ new InjectionToken<TabSharing | null>('FEED_SHARING');

/**
 * The client of an injector, as {@link provideLobbyClient} configures it.
 *
 * @example
 * ```ts
 * TestBed.configureTestingModule({
 *   providers: [{ provide: LOBBY_CLIENT, useValue: createClient(config) }],
 * });
 * ```
 */
export const LOBBY_CLIENT = /* @__PURE__ */ new InjectionToken<Client>('LOBBY_CLIENT');

/**
 * Provides a client of the service, one for each injector. A server has an injector, and so a
 * client, for each request. `config` is called once, in an injection context, when the client is
 * first injected.
 *
 * Polls run outside of the zone, so that they never keep an application unstable. Neither
 * `whenStable()` nor a server's rendering waits for them. Plain requests are pending tasks, as
 * those of `HttpClient` are. The client is closed with the injector. Requests that are open then
 * are aborted, and never answer. On a server, the client `renders`: it polls nothing. When the
 * visitor leaves, the application of their visit is destroyed.
 *
 * Injecting the client throws an `InputError` if an option is unknown or invalid.
 *
 * @example
 * bootstrapApplication(App, {
 *   providers: [
 *     provideLobbyClient(() => ({
 *       url: 'https://api.example.com',
 *       token: tokenOf(inject(Session)),
 *     })),
 *   ],
 * });
 */
export function provideLobbyClient<const Codecs extends EventCodecs = NoOwnEvents>(
  config: () => LobbyClientConfig<Codecs>,
  ...features: readonly LobbyClientFeature[]
): EnvironmentProviders {
  return makeEnvironmentProviders([
    { provide: CLIENT_APP, useFactory: () => createApp(atOnce('config', config, anAnswerObject)()) },
    { provide: LOBBY_CLIENT, useFactory: createLobbyClient },
    // Those of a parent injector are for its client.
    { provide: CALL_TRANSPORT, useValue: null },
    { provide: FEED_SHARING, useValue: null },
    features.map(({ providers }) => providers),
  ]);
}

/**
 * Injects the client. `Own` has the payloads of your event kinds. Throws without a
 * {@link provideLobbyClient}, or outside of an injection context.
 *
 * @example
 * readonly #lobby = injectLobbyClient();
 */
export function injectLobbyClient<Own extends object = NoOwnEvents>(): Client<Own> {
  return inject(LOBBY_CLIENT) as unknown as Client<Own>;
}

function createApp(options: LobbyClientConfig<EventCodecs>): ClientApp {
  const { config, bypassServiceWorker, renderTimeout } = checkedLobbyClientConfig(options);
  // Throws if an option is invalid, before any of them is used. It sends nothing.
  createClient(config);
  const zone = new AppZone(inject(NgZone));
  const scheduler = zone.scheduler(config.scheduler ?? asyncScheduler);
  const serverVisit = injectServerVisit(renderTimeout, scheduler);
  return { zone, config, scheduler, serverVisit, bypassServiceWorker, profiles: new LatestProfiles() };
}

function createLobbyClient(): Client {
  const { zone, config, scheduler, serverVisit, bypassServiceWorker, profiles } = inject(CLIENT_APP);
  const transport = config.transport ?? fromFetch({ scheduler });
  const call = inject(CALL_TRANSPORT) ?? pendingTasks(transport);
  const client = createClient({
    ...config,
    scheduler,
    renders: serverVisit !== undefined,
    transport: request => {
      const sent = bypassServiceWorker ? serviceWorkerBypass(request) : request;
      return request.kind === 'poll' ? zone.outside(transport(sent)) : call(sent);
    },
  }) as unknown as Client;
  inject(DestroyRef).onDestroy(() => client.close({ requests: 'drop' }));
  if (serverVisit) endWithVisit(client, serverVisit);
  const share = inject(FEED_SHARING);
  // Replaces the client's own feed, so that the application and its components share one.
  if (share) Object.defineProperty(client.events, 'feed', { value: client.events.createFeed({ share }) });
  // Both begin now, so that they get each event before anything shows it.
  feedState(client);
  zone.outside(eventsOf(client.events.feed)).subscribe(event => {
    if (event.kind === 'identity_update') profiles.keep(event.identity);
  });
  return client;
}

/**
 * Closes the client of a visit that nobody waits for, and destroys its application. A resource
 * whose request is dropped would wait for it for ever, and Angular for the resource.
 */
function endWithVisit(client: Client, { ended$ }: ServerVisit): void {
  const application = inject(ApplicationRef);
  const errors = inject(ErrorHandler);
  const destroy = () => {
    try {
      if (!application.destroyed) application.destroy();
    } catch (error) {
      errors.handleError(error);
    }
  };
  ended$.pipe(takeUntil(client.closed$)).subscribe(() => {
    client.close();
    // Later, since the visitor may have left while the client is injected.
    void Promise.resolve().then(destroy);
  });
}

/** The events of a feed, before its own streams emit them. They start no poll. */
export function eventsOf<Own extends object>({ signal$ }: EventFeed<Own>): Observable<LiveEvent<Own>> {
  return signal$.pipe(
    answers(),
    concatMap(({ events }) => events),
  );
}

/** Requests that the application waits for before it is stable, and a server before it renders. */
function pendingTasks(transport: Transport): Transport {
  const tasks = inject(PendingTasks);
  return request => defer(() => transport(request).pipe(finalize(tasks.add())));
}
