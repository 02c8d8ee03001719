import {
  asyncScheduler,
  concatMap,
  defer,
  filter,
  finalize,
  from,
  map,
  share,
  startWith,
  tap,
  timer,
  type Observable,
  type ObservableInput,
  type OperatorFunction,
  type SchedulerLike,
} from 'rxjs';
import { checkOptions, milliseconds, schedulerLike, type Options } from '../error/index.js';
import type {
  IdentityEventList,
  IdentityUpdateEvent,
  LiveEvent,
  LobbyJoinEvent,
  MalformedEvent,
  NoOwnEvents,
  Notification,
  UnknownEvent,
} from '../protocol/index.js';
import type { Gap, WatchSignal, WatchStatus } from './watch/index.js';

/**
 * The live events of an identity as a set of streams that share one poll. The poll runs while any of them has a subscriber.
 * `Own` has the payloads of your own event kinds.
 */
export interface EventFeed<in out Own extends object = NoOwnEvents> {
  /** Every event, in order. */
  readonly all$: Observable<LiveEvent<Own>>;
  /** Events about profiles that changed or are delivered. */
  readonly identityUpdate$: Observable<IdentityUpdateEvent>;
  /** Events that tell a player to join a lobby. */
  readonly lobbyJoin$: Observable<LobbyJoinEvent>;
  /** Notifications to show to the player immediately, each with its event, of any kind. */
  readonly notification$: Observable<{ readonly notification: Notification; readonly event: LiveEvent<Own> }>;
  /** Events of kinds that neither this library nor your client declares. `name` is the name on the wire. */
  readonly unknown$: Observable<UnknownEvent>;
  /** Events that failed to decode, and why. */
  readonly malformed$: Observable<MalformedEvent>;
  /** The status of the poll: the current one first, if it is running, then each change. */
  readonly status$: Observable<WatchStatus>;
  /** Emits if events may have been missed, before the first event after the gap. */
  readonly gap$: Observable<Gap>;
  /** The events of one kind, including your own kinds. */
  on<K extends LiveEvent<Own>['kind']>(kind: K): Observable<Extract<LiveEvent<Own>, { kind: K }>>;
}

/** The options of {@link eventFeed}. */
export interface EventFeedConfig {
  /** How long the poll continues after the last subscriber has unsubscribed, in ms. Default 1,000. */
  readonly linger?: number;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

const OPTIONS: Options<EventFeedConfig> = { linger: milliseconds, scheduler: schedulerLike };

type FeedSignal<Own extends object> =
  | { readonly kind: 'event'; readonly event: LiveEvent<Own> }
  | Exclude<WatchSignal<never>, { kind: 'answer' }>;

/**
 * Creates a feed from the signals of a watch. All streams of the feed share one subscription to the signals, which ends
 * `linger` ms after the last subscriber has unsubscribed. Late subscribers get what comes from then on; `status$` also emits
 * the current status. The streams never complete; they end with the error that ends the watch.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * const feed = eventFeed(watchSignals(index => client.events.watch(index ? { watch_index: index } : {})));
 */
export function eventFeed<Own extends object = NoOwnEvents>(
  signals$: ObservableInput<WatchSignal<IdentityEventList<Own>>>,
  config: EventFeedConfig = {},
): EventFeed<Own> {
  checkOptions(config, OPTIONS);
  const { linger = 1_000, scheduler = asyncScheduler } = config;
  let current: { readonly of: object; readonly status: WatchStatus } | undefined;
  const shared$ = defer(() => {
    const connection = {};
    const forget = () => {
      if (current?.of === connection) current = undefined;
    };
    return from(signals$).pipe(
      // Split into events, so that a subscriber that joins during a batch gets the rest of it, in order.
      concatMap((signal): readonly FeedSignal<Own>[] =>
        signal.kind === 'answer' ? signal.answer.events.map(event => ({ kind: 'event', event })) : [signal],
      ),
      tap({
        next: signal => {
          if (signal.kind === 'status') current = { of: connection, status: signal.status };
        },
        error: forget,
      }),
      finalize(forget),
    );
  }).pipe(share({ resetOnRefCountZero: () => timer(linger, scheduler) }));

  const all$ = shared$.pipe(
    ofKind('event'),
    map(({ event }) => event),
  );
  // The compiler cannot narrow a union while its kinds are still generic.
  const known$ = all$ as Observable<LiveEvent>;
  const status$ = shared$.pipe(
    ofKind('status'),
    map(({ status }) => status),
  );
  return {
    all$,
    identityUpdate$: known$.pipe(ofKind('identity_update')),
    lobbyJoin$: known$.pipe(ofKind('matchmaker_lobby_join')),
    notification$: known$.pipe(
      concatMap(event =>
        event.kind !== 'malformed' && event.notification ? [{ notification: event.notification, event }] : [],
      ),
    ),
    unknown$: known$.pipe(ofKind('unknown')),
    malformed$: known$.pipe(ofKind('malformed')),
    status$: defer(() => (current ? status$.pipe(startWith(current.status)) : status$)),
    gap$: shared$.pipe(
      ofKind('gap'),
      map(({ gap }) => gap),
    ),
    on: kind => all$.pipe(ofKind(kind)),
  };
}

/**
 * Keeps only the values of the given kinds, and narrows the type to them.
 *
 * @example
 * feed.all$.pipe(ofKind('identity_update')).subscribe(({ identity }) => show(identity));
 */
export function ofKind<
  In extends { readonly kind: string },
  K extends string,
  Out extends In = Extract<In, { kind: K }>,
>(...kinds: readonly K[]): OperatorFunction<In, Out> {
  const wanted: readonly string[] = kinds;
  return filter((value: In): value is Out => wanted.includes(value.kind));
}
