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
} from '../error/index.js';
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
import { Attendance, audienceOf, queuedSignals, type Audience } from './audience.js';
import { unseenFailures } from './unseen-failures.js';
import { connecting, type Gap, type WatchSignal, type WatchStatus } from './watch-signal.js';

/**
 * The live events of an identity as a set of streams that share one poll. The poll runs while any stream of events has a
 * subscriber. `Own` has the payloads of your own event kinds.
 *
 * A client's feed keeps its position while it has no subscribers: the next one gets what has happened meanwhile, or a gap if that is
 * too long ago.
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
  /** The status of the poll: the current one first, `idle` if there is none, then each change. It starts no poll, and never ends. */
  readonly status$: Observable<WatchStatus>;
  /** Emits if events may have been missed, before the first event after the gap. It starts no poll, and never ends. */
  readonly gap$: Observable<Gap>;
  /**
   * The current status, then everything that happens, in order: each event, as an answer, before the streams of events emit it. It starts
   * no poll, and never ends.
   */
  readonly signal$: Observable<WatchSignal<IdentityEventList<Own>>>;
  /** The events of one kind, including your own kinds. Throws an `InputError` if there is no such kind. */
  on<K extends LiveEvent<Own>['kind']>(kind: K): Observable<Extract<LiveEvent<Own>, { kind: K }>>;
}

/** The kinds of every client. */
export const KINDS: readonly string[] = [
  'identity_update',
  'matchmaker_lobby_join',
  'unknown',
  'malformed',
] satisfies LiveEvent['kind'][];

/** The options of {@link eventFeed}. */
export interface EventFeedConfig {
  /**
   * How long the poll continues after the last subscriber has unsubscribed, in ms. An answer that arrives in this time is
   * held for the next subscriber. 0 ends the poll at once. Default 1,000.
   */
  readonly linger?: number;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

const OPTIONS: Options<EventFeedConfig> = { linger: milliseconds, scheduler: schedulerLike };

/** The signals of a watch of events. */
type EventSignal<Own extends object> = WatchSignal<IdentityEventList<Own>>;
type Source<Own extends object> = (
  audience: Audience<IdentityEventList<Own>>,
) => Observable<EventSignal<Own>>;

/**
 * Creates a feed from the signals of a watch, which all event streams of the feed share. It is subscribed to with the first
 * subscriber, and unsubscribed from `linger` ms after the last one has left. Events that come while there is no subscriber wait for the
 * next one; each is emitted once. `status$` also emits the current status. The event streams end with the error that ends the
 * watch, and complete if it completes. `status$` and `gap$` only observe: they start nothing, and never end.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * const feed = eventFeed(watchSignals(index => client.events.watch(index ? { watch_index: index } : {})));
 */
export function eventFeed<Own extends object = NoOwnEvents>(
  source: ObservableInput<EventSignal<Own>>,
  config?: EventFeedConfig,
): EventFeed<Own> {
  return audienceFeed(audience => queuedSignals(() => from(source), audience), config);
}

/**
 * The same from signals that know the audience of the feed. They stay subscribed to until they end, and have to respect the
 * audience. `ownKinds` are those that a client declares; without them, any kind may be asked for.
 */
export function audienceFeed<Own extends object>(
  source: Source<Own>,
  config: EventFeedConfig = {},
  ownKinds?: readonly string[],
): EventFeed<Own> {
  checkOptions(config, OPTIONS);
  const { all$, signal$, status$ } = new Feed(source, config);
  // The compiler cannot narrow a union while its kinds are still generic.
  const known$ = all$ as Observable<LiveEvent>;
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
    status$: status$.asObservable(),
    gap$: signal$.pipe(
      ofKind('gap'),
      map(({ gap }) => gap),
    ),
    signal$: merge(signal$, status$.pipe(map(status => ({ kind: 'status', status }) as const))),
    on: kind => {
      if (ownKinds && ![...KINDS, ...ownKinds].includes(kind))
        throw new InputError('kind', `one of ${[...KINDS, ...ownKinds].join(', ')}`, describe(kind));
      return all$.pipe(ofKind(kind));
    },
  };
}

/** The one subscription of a feed to its source, and what all its streams are made of. */
class Feed<Own extends object> {
  readonly signal$ = new Subject<EventSignal<Own>>();
  readonly status$: BehaviorSubject<WatchStatus>;
  readonly all$ = new Observable<LiveEvent<Own>>(subscriber => {
    // One that has gone already must not be counted: what is held would be emitted to it.
    if (subscriber.closed) return;
    subscriber.add(this.#event$.subscribe(subscriber));
    if (this.#attendance.join(subscriber) && !this.#isConnected) this.#connect();
  });
  readonly #source: Source<Own>;
  readonly #scheduler: SchedulerLike;
  readonly #attendance: Attendance;
  readonly #say = unseenFailures();
  #event$ = new Subject<LiveEvent<Own>>();
  #isConnected = false;

  constructor(source: Source<Own>, { linger = 1_000, scheduler = asyncScheduler }: EventFeedConfig) {
    [this.#source, this.#scheduler] = [source, scheduler];
    this.status$ = new BehaviorSubject<WatchStatus>({ ...connecting(scheduler.now()), state: 'idle' });
    this.#attendance = new Attendance(linger, scheduler, () => {
      if (this.#isConnected) this.#become('idle');
    });
  }

  #connect(): void {
    this.#isConnected = true;
    const { isAbsent$, isActive$ } = this.#attendance;
    const audience = audienceOf({ isAbsent$, isActive$, split: singleEvents<Own> });
    defer(() => this.#source(audience)).subscribe({
      next: signal => {
        if (signal.kind === 'status') return this.#observe(signal.status);
        this.signal$.next(signal);
        if (signal.kind === 'answer') for (const event of signal.answer.events) this.#event$.next(event);
      },
      error: (error: unknown) => {
        this.#disconnect(error).error(error);
        this.#attendance.end();
      },
      complete: () => {
        this.#disconnect(undefined).complete();
        this.#attendance.end();
      },
    });
  }

  /** An acknowledgement may still go on after the last subscriber has left. */
  #observe(status: WatchStatus): void {
    if (!this.status$.observed) this.#say(status);
    if (this.#attendance.isActive$.value || status.state === 'closed') this.status$.next(status);
  }

  #become(state: WatchStatus['state'], error?: unknown): void {
    const { lastAnswer } = this.status$.value;
    this.status$.next({ ...connecting(this.#scheduler.now(), lastAnswer), state, error });
  }

  /** The next subscriber connects again, perhaps in response to the end. */
  #disconnect(error: unknown): Subject<LiveEvent<Own>> {
    const ended$ = this.#event$;
    this.#event$ = new Subject();
    this.#isConnected = false;
    // The watch says so itself, unless it is unsubscribed from.
    if (this.status$.value.state !== 'closed') this.#become('closed', error);
    return ended$;
  }
}

/** A batch as batches of one event each. */
function singleEvents<Own extends object>(batch: IdentityEventList<Own>): readonly IdentityEventList<Own>[] {
  return batch.events.map(event => ({ ...batch, events: [event] }));
}

/** Keeps only the values of the given kinds, and narrows the type to them. */
export function ofKind<
  In extends { readonly kind: string },
  K extends string,
  Out extends In = Extract<In, { kind: K }>,
>(...kinds: readonly K[]): OperatorFunction<In, Out> {
  const wanted: readonly string[] = kinds;
  return filter((value: In): value is Out => wanted.includes(value.kind));
}
