import {
  asyncScheduler,
  concatMap,
  defer,
  finalize,
  from,
  map,
  share,
  startWith,
  tap,
  timer,
  type Observable,
  type ObservableInput,
  type SchedulerLike,
} from 'rxjs';
import {
  checkArgument,
  milliseconds,
  type IdentityEventList,
  type LiveEvent,
  type Notification,
} from '../protocol/index.js';
import type { Gap } from './gap.js';
import { ofKind } from './of-kind.js';
import type { WatchSignal } from './watch-signal.js';
import type { WatchStatus } from './watch-status.js';

type FeedSignal =
  { readonly kind: 'event'; readonly event: LiveEvent } | Exclude<WatchSignal<never>, { kind: 'answer' }>;

/** The live events of an identity, in views that all share one poll. It runs while anyone is subscribed to any of them. */
export interface EventFeed {
  /** Every event, in order. */
  readonly all$: Observable<LiveEvent>;
  /** Profiles that changed or were delivered. */
  readonly identityUpdate$: Observable<Extract<LiveEvent, { kind: 'identity_update' }>>;
  /** Lobbies that a player is to join. */
  readonly lobbyJoin$: Observable<Extract<LiveEvent, { kind: 'matchmaker_lobby_join' }>>;
  /** What is to be shown to the player at once, with the event it came with, of whatever kind. */
  readonly notification$: Observable<{ readonly notification: Notification; readonly event: LiveEvent }>;
  /** Events of kinds that this library does not know, by their `name` on the wire. */
  readonly unknown$: Observable<Extract<LiveEvent, { kind: 'unknown' }>>;
  /** Events that do not decode, and why. */
  readonly malformed$: Observable<Extract<LiveEvent, { kind: 'malformed' }>>;
  /** How the poll is doing: first how it is now, then each change. */
  readonly status$: Observable<WatchStatus>;
  /** Where events may have been missed, before the first event behind it. */
  readonly gap$: Observable<Gap>;
  /** The events of one kind. */
  on<K extends LiveEvent['kind']>(kind: K): Observable<Extract<LiveEvent, { kind: K }>>;
}

/** How an {@link eventFeed} is shared. */
export interface EventFeedConfig {
  /** How long the poll goes on after the last subscriber has left, in ms. Default 1,000. */
  readonly linger?: number;
  /** What time is read from. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

/**
 * Makes a feed of the signals of a watch: however many subscribe to however many of its views, the signals are subscribed
 * to once; and `linger` ms after the last one has left, no more. A late subscriber gets what comes from then on, and of
 * `status$` the present one too. Its streams never complete, and end with the error that ends the watch.
 *
 * @example
 * const feed = eventFeed(watchSignals(index => client.events.watch(index ? { watch_index: index } : {})));
 */
export function eventFeed(
  signals$: ObservableInput<WatchSignal<IdentityEventList>>,
  { linger = 1_000, scheduler = asyncScheduler }: EventFeedConfig = {},
): EventFeed {
  checkArgument('linger', milliseconds, linger);
  let present: { readonly of: object; readonly status: WatchStatus } | undefined;
  const shared$ = defer(() => {
    const connection = {};
    const forget = () => {
      if (present?.of === connection) present = undefined;
    };
    return from(signals$).pipe(
      // Events one by one, so that whoever comes or comes back within a batch gets the rest of it, and all in order.
      concatMap((signal): readonly FeedSignal[] =>
        signal.kind === 'answer' ? signal.answer.events.map(event => ({ kind: 'event', event })) : [signal],
      ),
      tap({
        next: signal => {
          if (signal.kind === 'status') present = { of: connection, status: signal.status };
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
  const on: EventFeed['on'] = kind => all$.pipe(ofKind(kind));
  const status$ = shared$.pipe(
    ofKind('status'),
    map(({ status }) => status),
  );
  return {
    all$,
    identityUpdate$: on('identity_update'),
    lobbyJoin$: on('matchmaker_lobby_join'),
    notification$: all$.pipe(
      concatMap(event =>
        event.kind !== 'malformed' && event.notification ? [{ notification: event.notification, event }] : [],
      ),
    ),
    unknown$: on('unknown'),
    malformed$: on('malformed'),
    status$: defer(() => (present ? status$.pipe(startWith(present.status)) : status$)),
    gap$: shared$.pipe(
      ofKind('gap'),
      map(({ gap }) => gap),
    ),
    on,
  };
}
