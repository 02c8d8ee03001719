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
 * The live events of an identity, in views that all share one poll. It runs while anyone is subscribed to any of them. `Own`
 * are the payloads of event kinds of your own.
 */
export interface EventFeed<Own extends object = NoOwnEvents> {
  /** Every event, in order. */
  readonly all$: Observable<LiveEvent<Own>>;
  /** Profiles that changed or were delivered. */
  readonly identityUpdate$: Observable<IdentityUpdateEvent>;
  /** Lobbies that a player is to join. */
  readonly lobbyJoin$: Observable<LobbyJoinEvent>;
  /** What the player is to be shown at once, with the event it came with, of whatever kind. */
  readonly notification$: Observable<{ readonly notification: Notification; readonly event: LiveEvent<Own> }>;
  /** Events of kinds that nobody declared, by their `name` on the wire. */
  readonly unknown$: Observable<UnknownEvent>;
  /** Events that do not decode, and why. */
  readonly malformed$: Observable<MalformedEvent>;
  /** How the poll is doing: first how it is now, then each change. */
  readonly status$: Observable<WatchStatus>;
  /** Where events may have been missed, before the first event after it. */
  readonly gap$: Observable<Gap>;
  /** The events of one kind, one of your own included. */
  on<K extends LiveEvent<Own>['kind']>(kind: K): Observable<Extract<LiveEvent<Own>, { kind: K }>>;
}

/** How an {@link eventFeed} is shared. */
export interface EventFeedConfig {
  /** How long the poll goes on after the last subscriber has left, in ms. Default 1,000. */
  readonly linger?: number;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

const OPTIONS: Options<EventFeedConfig> = { linger: milliseconds, scheduler: schedulerLike };

type FeedSignal<Own extends object> =
  | { readonly kind: 'event'; readonly event: LiveEvent<Own> }
  | Exclude<WatchSignal<never>, { kind: 'answer' }>;

/**
 * Makes a feed of the signals of a watch. However many subscribe to however many of its views, the signals are subscribed to
 * once, until `linger` ms after the last one has left. A late subscriber gets what comes from then on, and of `status$`
 * the current one, too. Its streams never complete; they end with the error that ends the watch.
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
      // Events one by one, so that whoever subscribes within a batch gets the rest of it, and everything in order.
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
  // The compiler cannot see through a union with kinds that are still open.
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
 * Lets through the values of some kinds, and narrows their type to them.
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
