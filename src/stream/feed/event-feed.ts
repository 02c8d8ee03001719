import {
  asyncScheduler,
  BehaviorSubject,
  concatMap,
  defer,
  filter,
  from,
  map,
  merge,
  Observable,
  Subject,
  type ObservableInput,
  type Observer,
  type OperatorFunction,
  type SchedulerLike,
} from 'rxjs';
import {
  checkOptions,
  describe,
  InputError,
  milliseconds,
  schedulerLike,
  type Options,
} from '../../error/index.js';
import type {
  IdentityEventList,
  IdentityUpdateEvent,
  LiveEvent,
  LobbyJoinEvent,
  MalformedEvent,
  NoOwnEvents,
  Notification,
  UnknownEvent,
} from '../../protocol/index.js';
import { audienceOf, queuedSignals, SubscriberCount, type Audience } from './audience.js';
import { connecting, idle, type Gap, type WatchSignal, type WatchStatus } from '../watch-signal.js';

/**
 * The live events of an identity as a set of streams that share one poll. The poll runs while any
 * stream of events has a subscriber. `Own` has the payloads of your own event kinds.
 *
 * A client's feed keeps its position while it has no subscribers. The next subscriber gets the
 * events since then, or a gap if that is too long ago.
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
  /**
   * Events of kinds that neither this library nor your client declares. `name` is the name on the
   * wire.
   */
  readonly unknown$: Observable<UnknownEvent>;
  /** Events that failed to decode, and why. */
  readonly malformed$: Observable<MalformedEvent>;
  /**
   * The status of the poll: first the current one, then each change. It is `idle` while nothing
   * polls. Subscribing to it starts no poll, and it never ends.
   */
  readonly status$: Observable<WatchStatus>;
  /**
   * Emits if events may have been missed, before the first event after the gap. Subscribing to it
   * starts no poll, and it never ends.
   */
  readonly gap$: Observable<Gap>;
  /**
   * The current status, then everything that happens, in order. Each event comes as an answer,
   * before the streams of events emit it. Subscribing to it starts no poll, and it never ends.
   */
  readonly signal$: Observable<WatchSignal<IdentityEventList<Own>>>;
  /**
   * The events of one kind, including your own kinds. Throws an `InputError` if that kind does not
   * exist.
   */
  on<K extends LiveEvent<Own>['kind']>(kind: K): Observable<Extract<LiveEvent<Own>, { kind: K }>>;
}

/** The kinds of events that every client has. */
export const KINDS: readonly LiveEvent['kind'][] = [
  'identity_update',
  'matchmaker_lobby_join',
  'unknown',
  'malformed',
];

/** The options of {@link eventFeed}. */
export interface EventFeedConfig {
  /**
   * How long the poll continues after the last subscriber has unsubscribed, in ms. An answer that
   * arrives in this time is queued for the next subscriber. 0 ends the poll at once. Default 1,000.
   */
  readonly linger?: number;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

const OPTIONS: Options<EventFeedConfig> = { linger: milliseconds, scheduler: schedulerLike };

/**
 * Creates a feed from the signals of a watch. All event streams of the feed share one subscription
 * to the watch. It begins with the first subscriber, and ends `linger` ms after the last one has
 * left. Events that come while there is no subscriber wait for the next one. Each is emitted once.
 *
 * The event streams end with the error that ends the watch, and complete if the watch completes.
 * `status$`, `gap$` and `signal$` only observe: they start nothing, and never end. `status$` and
 * `signal$` begin with the current status.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * const feed = eventFeed(
 *   watchSignals(index => client.events.watch(index ? { watch_index: index } : {})),
 * );
 */
export function eventFeed<Own extends object = NoOwnEvents>(
  source: ObservableInput<WatchSignal<IdentityEventList<Own>>>,
  config: EventFeedConfig = {},
): EventFeed<Own> {
  checkOptions(config, OPTIONS);
  const { linger = 1_000, scheduler = asyncScheduler } = config;
  return audienceFeed(audience => queuedSignals(() => from(source), audience), { linger, scheduler });
}

/** Gives the signals of a watch of events to the audience of a feed. */
export type FeedSource<Own extends object> = (
  audience: Audience<IdentityEventList<Own>>,
) => Observable<EventSignal<Own>>;

type EventSignal<Own extends object> = WatchSignal<IdentityEventList<Own>>;

/**
 * Like {@link eventFeed}, from signals that know the audience of the feed. They stay subscribed to
 * until they end, and have to respect the audience. `ownKinds` are the kinds that a client
 * declares. Without them, any kind may be asked for.
 */
export function audienceFeed<Own extends object>(
  source: FeedSource<Own>,
  { linger, scheduler }: Required<EventFeedConfig>,
  ownKinds?: readonly string[],
): EventFeed<Own> {
  return new Feed(new FeedConnection(source, linger, scheduler), ownKinds);
}

/**
 * A feed. Its streams are made when they are asked for, since a process may have thousands of
 * feeds.
 */
class Feed<in out Own extends object> implements EventFeed<Own> {
  readonly #connection: FeedConnection<Own>;
  readonly #ownKinds: readonly string[] | undefined;
  #streams: Map<string, Observable<unknown>> | undefined;

  constructor(connection: FeedConnection<Own>, ownKinds: readonly string[] | undefined) {
    this.#connection = connection;
    this.#ownKinds = ownKinds;
  }

  get all$(): EventFeed<Own>['all$'] {
    return this.#connection.event$;
  }
  get identityUpdate$(): EventFeed<Own>['identityUpdate$'] {
    return this.#ofKind('identity_update');
  }
  get lobbyJoin$(): EventFeed<Own>['lobbyJoin$'] {
    return this.#ofKind('matchmaker_lobby_join');
  }
  get unknown$(): EventFeed<Own>['unknown$'] {
    return this.#ofKind('unknown');
  }
  get malformed$(): EventFeed<Own>['malformed$'] {
    return this.#ofKind('malformed');
  }
  get notification$(): EventFeed<Own>['notification$'] {
    return this.#once('notification$', () => this.all$.pipe(concatMap(notificationOf<Own>)));
  }
  get status$(): EventFeed<Own>['status$'] {
    return this.#once('status$', () => this.#connection.status$.asObservable());
  }
  get gap$(): EventFeed<Own>['gap$'] {
    return this.#once('gap$', () =>
      this.#connection.signal$.pipe(
        ofKind('gap'),
        map(({ gap }) => gap),
      ),
    );
  }
  get signal$(): EventFeed<Own>['signal$'] {
    return this.#once('signal$', () => {
      const { signal$, status$ } = this.#connection;
      return merge(signal$, status$.pipe(map(status => ({ kind: 'status', status }) as const)));
    });
  }

  readonly on: EventFeed<Own>['on'] = kind => {
    const kinds = [...KINDS, ...(this.#ownKinds ?? [])];
    if (this.#ownKinds && !kinds.includes(kind))
      throw new InputError('kind', `one of ${kinds.join(', ')}`, describe(kind));
    return this.all$.pipe(ofKind(kind));
  };

  /** Each getter returns one and the same stream, as an `async` pipe in a template needs it. */
  #ofKind<K extends LiveEvent['kind']>(kind: K): Observable<Extract<LiveEvent, { kind: K }>> {
    // The compiler cannot narrow a union while its kinds are still generic.
    const all$ = this.all$ as Observable<LiveEvent>;
    return this.#once(kind, () => all$.pipe(ofKind(kind)));
  }

  #once<T>(name: string, make: () => Observable<T>): Observable<T> {
    this.#streams ??= new Map();
    const made = this.#streams.get(name) ?? make();
    this.#streams.set(name, made);
    return made as Observable<T>;
  }
}

/** The one subscription of a feed to its source, which all of its streams share. */
class FeedConnection<Own extends object> implements Observer<EventSignal<Own>> {
  readonly status$: BehaviorSubject<WatchStatus>;
  /** The events. The connection is made for their subscribers. */
  readonly event$ = new Observable<LiveEvent<Own>>(subscriber => {
    // A subscriber that has left already must not be counted, since the queued events would be
    // emitted to it.
    if (subscriber.closed) return;
    subscriber.add(this.#event$.subscribe(subscriber));
    if (this.#subscriberCount.join(subscriber) && !this.#isConnected) this.#connect();
  });
  readonly #source: FeedSource<Own>;
  readonly #scheduler: SchedulerLike;
  readonly #subscriberCount: SubscriberCount;
  #signal$: Subject<EventSignal<Own>> | undefined;
  #event$ = new Subject<LiveEvent<Own>>();
  #isConnected = false;

  constructor(source: FeedSource<Own>, linger: number, scheduler: SchedulerLike) {
    this.#source = source;
    this.#scheduler = scheduler;
    this.status$ = new BehaviorSubject(idle(scheduler.now()));
    this.#subscriberCount = new SubscriberCount(linger, scheduler, () => {
      if (this.#isConnected) this.#become('idle');
    });
  }

  /** All signals but the status. A subscriber only observes. */
  get signal$(): Observable<EventSignal<Own>> {
    this.#signal$ ??= new Subject();
    return this.#signal$;
  }

  next(signal: EventSignal<Own>): void {
    if (signal.kind === 'status') return this.#observe(signal.status);
    this.#signal$?.next(signal);
    if (signal.kind === 'answer') for (const event of signal.answer.events) this.#event$.next(event);
  }

  error(error: unknown): void {
    this.#disconnect(error).error(error);
    this.#subscriberCount.end();
  }

  complete(): void {
    this.#disconnect(undefined).complete();
    this.#subscriberCount.end();
  }

  #connect(): void {
    this.#isConnected = true;
    const { isAbsent$, isActive$ } = this.#subscriberCount;
    const audience = audienceOf({ isAbsent$, isActive$, split: singleEvents<Own> });
    defer(() => this.#source(audience)).subscribe(this);
  }

  /**
   * Emits a status while the feed polls. An acknowledgement may still go on after the last
   * subscriber has left.
   */
  #observe(status: WatchStatus): void {
    if (this.#subscriberCount.isActive$.value || status.state === 'closed') this.status$.next(status);
  }

  #become(state: WatchStatus['state'], error?: unknown): void {
    const { lastAnswer } = this.status$.value;
    this.status$.next({ ...connecting(this.#scheduler.now(), lastAnswer), state, error });
  }

  /** Ends the connection. The next subscriber connects again, perhaps in response to the end. */
  #disconnect(error: unknown): Subject<LiveEvent<Own>> {
    const ended$ = this.#event$;
    this.#event$ = new Subject();
    this.#isConnected = false;
    // The watch reports its end, unless it is unsubscribed from.
    if (this.status$.value.state !== 'closed') this.#become('closed', error);
    return ended$;
  }
}

/** A batch as batches of one event each. */
function singleEvents<Own extends object>(batch: IdentityEventList<Own>): readonly IdentityEventList<Own>[] {
  return batch.events.map(event => ({ ...batch, events: [event] }));
}

/** The notification of an event, in an array that is empty if the event has none. */
function notificationOf<Own extends object>(event: LiveEvent<Own>) {
  const { kind, notification } = event as LiveEvent & { readonly notification?: Notification };
  return kind !== 'malformed' && notification ? [{ notification, event }] : [];
}

/** Keeps only the values of a kind, and narrows the type to it. */
export function ofKind<
  In extends { readonly kind: string },
  K extends string,
  Out extends In = Extract<In, { kind: K }>,
>(kind: K): OperatorFunction<In, Out> {
  return filter((value: In): value is Out => value.kind === kind);
}
