import { concatMap, finalize, map, tap, type Observable } from 'rxjs';
import { rawEventsWatch, type Endpoint, type EventsWatchInput } from '../endpoint/index.js';
import { anObservable, answeredAtOnce, definedOptions } from '../error/index.js';
import { decodedEvents, RawEventList, type IdentityEventList } from '../protocol/index.js';
import {
  ageLimit,
  checkpointOf,
  continuingWatch,
  queuedSignals,
  type Audience,
  type Checkpoint,
  type Gap,
  type GapReason,
  type OwnReading,
  type SharedWatch,
  type WatchConfig,
  type WatchSettings,
  type WatchSharing,
  type WatchSignal,
} from '../stream/index.js';
import type { ClientContext } from './context.js';
import { endpointWatch } from './endpoint-watch.js';

/** The config of a feed with the option `share`. */
interface SharedFeedConfig<List> extends WatchConfig<List> {
  readonly resume: boolean;
  readonly share: WatchSharing;
}

/**
 * The signals of a watch of events that is shared, for the audience of a feed. Those that share it
 * may be of different deployments: they share what the service has sent, and each of them decodes
 * it.
 */
export function sharedFeed<Own extends object>(
  context: ClientContext,
  endpoint: Endpoint<EventsWatchInput, IdentityEventList<Own>>,
  config: SharedFeedConfig<IdentityEventList<Own>>,
): (audience: Audience<IdentityEventList<Own>>) => Observable<WatchSignal<IdentityEventList<Own>>> {
  type List = IdentityEventList<Own>;
  const { resume, share, ...watchConfig } = config;
  let last: { readonly raw: RawEventList; readonly list: List } | undefined;
  const listOf = (raw: RawEventList) => {
    if (last?.raw !== raw) last = { raw, list: decodedEvents(endpoint.response, raw) };
    return last.list;
  };
  const ofRaw = <Rest extends readonly unknown[], Result>(callback?: (list: List, ...rest: Rest) => Result) =>
    callback && ((raw: RawEventList, ...rest: Rest) => callback(listOf(raw), ...rest));
  const { ack, indexOf, read, ...others } = watchConfig;
  const own = endpoint as object as OwnReading<List>;
  const { poll, settings } = endpointWatch<EventsWatchInput, RawEventList>(
    context,
    {
      ...rawEventsWatch,
      ...endpoint,
      response: RawEventList,
      ...(definedOptions({ isEmpty: ofRaw(own.isEmpty), keyOf: ofRaw(own.keyOf) }) as object),
    },
    {},
    // The callbacks get decoded lists. The index stands at the same place in the list that the
    // service sent.
    definedOptions({
      ...others,
      ack: ofRaw(ack),
      indexOf: typeof indexOf === 'string' ? indexOf : ofRaw(indexOf),
      read: ofRaw(read),
    }) as WatchConfig<RawEventList>,
  );
  const watch = continuingWatch(poll, { ...settings, from: undefined });
  const shared = new SharedFeed(
    position => answeredAtOnce('share', share(watch, position), anObservable),
    settings,
    resume,
  );
  const run = () =>
    shared
      .signals()
      .pipe(
        map(signal => (signal.kind === 'answer' ? { ...signal, answer: listOf(signal.answer) } : signal)),
      );
  return audience =>
    context.life.heldWhileActive(
      queuedSignals(run, audience, queuedCount => shared.drops(queuedCount)),
      audience.isActive$,
    );
}

/** A shared watch that starts again where it was, or from now with a gap for what it missed. */
class SharedFeed {
  /**
   * The position of the feed. That of `share` may be later, since a tab takes several signals
   * before it emits them, and the feed may leave between two of them.
   */
  #position: Checkpoint | undefined;
  /**
   * Events that were dropped, or are not continued from, are a gap before the next answer. Only
   * then does a reload see what came before.
   */
  #due: GapReason | undefined;
  #isStarted = false;
  #isRunning = false;

  constructor(
    private readonly share: (position: SharedWatch) => Observable<WatchSignal<RawEventList>>,
    private readonly settings: WatchSettings<RawEventList>,
    private readonly resume: boolean,
  ) {}

  signals(): Observable<WatchSignal<RawEventList>> {
    const { from, scheduler } = this.settings;
    if (!this.#isStarted && from) {
      // The age of a bare index is unknown, so it counts as new.
      const { index = '', at = scheduler.now(), handle } = from;
      this.#position = definedOptions({ index, at, handle }) as Checkpoint;
    }
    if (this.#isStarted && !this.resume && this.#position) this.#due = 'unwatched';
    this.#isStarted = true;
    this.#isRunning = true;
    const index = this.#position?.index;
    if (this.#due === 'unwatched') this.#position = undefined;
    return this.share({ from: this.#position }).pipe(
      concatMap(signal => this.#withGap(signal, index)),
      // Events that are queued for the next subscriber count as consumed.
      tap(signal => {
        this.#position = checkpointOf(signal) ?? this.#position;
      }),
      finalize(() => {
        this.#isRunning = false;
      }),
    );
  }

  #withGap(
    signal: WatchSignal<RawEventList>,
    index: string | undefined,
  ): readonly WatchSignal<RawEventList>[] {
    if (!this.#due || signal.kind === 'status') return [signal];
    const gap: Gap = { reason: this.#due, at: this.settings.scheduler.now(), index };
    this.#due = undefined;
    return signal.kind === 'gap' ? [signal] : [{ kind: 'gap', gap }, signal];
  }

  /** Whether the queued events are dropped because they are too old, or not continued from. */
  drops(queuedCount: number): boolean {
    const { retention, scheduler } = this.settings;
    if (!this.#position) return false;
    if (!this.resume && !this.#isRunning) this.#due = 'unwatched';
    else if (queuedCount > 0 && scheduler.now() - this.#position.at > ageLimit(retention))
      this.#due = 'silence';
    return this.#due !== undefined;
  }
}
