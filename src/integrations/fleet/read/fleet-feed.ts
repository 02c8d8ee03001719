import {
  BehaviorSubject,
  catchError,
  concatMap,
  defer,
  ignoreElements,
  map,
  merge,
  Observable,
  switchMap,
  tap,
} from 'rxjs';
import { checkOptions, isInputError, milliseconds, plainObject, type Options } from '../../../error/index.js';
import {
  decodedEvents,
  identityEventList,
  type Codec,
  type EventCodecs,
  type IdentityEventList,
  type NoOwnEvents,
  type PayloadsOf,
} from '../../../protocol/index.js';
import {
  backoff,
  connecting,
  eventFeed,
  type EventFeed,
  type WatchSignal,
  type WatchStatus,
} from '../../../stream/index.js';
import { RecordChain } from './handled-records.js';
import {
  connectionStatus,
  fleetName,
  hasLost,
  identityMessages,
  isNewerVersion,
  lastRecordOf,
  LostRecords,
  natsConnection,
  natsProblem,
  openFleetToFollow,
  retryWhileStarting,
  storedRecord,
  storedSubject,
  supervised,
  type FleetMessage,
  type KnownRecord,
  type Nats,
  type OpenFleet,
  type StoredRecord,
} from '../nats/index.js';
import { identityId } from '../worker/index.js';

/**
 * The options of {@link fleetFeed}. `nats` and `identity_id` are required. All others are optional.
 */
export interface FleetFeedConfig<Codecs extends EventCodecs = NoOwnEvents> {
  /** A connection of `@nats-io/transport-node`, or the promise of one. It is not closed. */
  readonly nats: Nats;
  readonly identity_id: string;
  /** Codecs of your own event kinds, as in `createClient`. */
  readonly kinds?: Codecs;
  /** How long to go on after the last subscriber has left, in ms. Default 1,000. */
  readonly linger?: number;
  /** The name of the fleet. Default `lobby`. */
  readonly fleet?: string;
}

const OPTIONS: Options<FleetFeedConfig> = {
  nats: natsConnection,
  identity_id: identityId,
  kinds: plainObject,
  linger: milliseconds,
  fleet: fleetName,
};

/**
 * The live events of one identity, as a fleet stores them. It emits the same as
 * `client.events.feed` of that identity, without a request to the service. It starts from now. It
 * keeps its position while it has no subscriber, for as long as the fleet keeps events.
 *
 * `status$` is the state of the connection to NATS. After ten seconds without a connection, it is
 * `retrying`, and its `error` says what to check. `gap$` also has the gaps of the fleet itself.
 *
 * Errors: `FleetError` if it cannot begin within a minute, or the connection was closed. In that
 * minute it waits for the first worker, a slow NATS, or a cluster that elects its leaders. Throws
 * an `InputError` if the config is invalid.
 *
 * @example
 * fleetFeed({ nats, identity_id }).lobbyJoin$.subscribe(join => notify(join));
 */
export function fleetFeed<const Codecs extends EventCodecs = NoOwnEvents>(
  config: FleetFeedConfig<Codecs>,
): EventFeed<PayloadsOf<Codecs>> {
  checkOptions<FleetFeedConfig>(config as object as FleetFeedConfig, OPTIONS, '', ['nats', 'identity_id']);
  const { nats, linger, fleet } = config;
  const position = new FeedPosition();
  const signal$ = defer(() => {
    const status = new FeedStatus();
    const read$ = defer(() => openFleetToFollow({ nats, fleet })).pipe(
      switchMap(fleet =>
        merge(new FeedReader(fleet, config, position, status).signals(), supervised(fleet.nats)),
      ),
      retryWhileStarting(nats, error => status.set('retrying', error)),
    );
    return merge(status.signal$, read$);
  });
  return eventFeed<PayloadsOf<Codecs>>(signal$, linger === undefined ? {} : { linger });
}

/**
 * The position of a feed. It is kept while nothing is subscribed to the feed. Events that are
 * queued for the next subscriber count as handled.
 */
class FeedPosition {
  /** Everything up to this record has been emitted. */
  handled: KnownRecord | undefined;
  chain: RecordChain | undefined;
  /** Which stream the position is in: each new one has a higher number. */
  generation: number | undefined;

  /** All that is stored is new, and begins with a gap. */
  lose(): void {
    this.handled = NO_RECORD;
    this.chain = new RecordChain('lost');
  }
}

const NO_RECORD: KnownRecord = { sequence: 0, key: '' };

type FeedSignal<Codecs extends EventCodecs> = WatchSignal<IdentityEventList<PayloadsOf<Codecs>>>;

/** The status of a feed, also before its connection is there. */
class FeedStatus {
  readonly #status$ = new BehaviorSubject<WatchStatus>(connecting(Date.now()));
  readonly signal$ = this.#status$.pipe(map(status => ({ kind: 'status', status }) as const));

  set(state: 'live' | 'retrying', error?: unknown): void {
    const { value } = this.#status$;
    if (value.state === state && value.error === error) return;
    const attempt = state === 'live' ? 0 : value.attempt + 1;
    this.#status$.next({ ...value, state, error, attempt, since: Date.now() });
  }
}

/** Reads the signals of one identity. After a failure it goes on where it was. */
class FeedReader<Codecs extends EventCodecs> {
  readonly #fleet: OpenFleet;
  readonly #subject: string;
  readonly #codec: Codec<IdentityEventList<PayloadsOf<Codecs>>>;
  readonly #position: FeedPosition;
  readonly #status: FeedStatus;
  /** The parts of a record that is not complete yet. */
  readonly #parts = new Map<number, FleetMessage>();
  #hasBegun = false;

  constructor(fleet: OpenFleet, config: FleetFeedConfig<Codecs>, position: FeedPosition, status: FeedStatus) {
    this.#fleet = fleet;
    this.#subject = storedSubject(fleet.names, config.identity_id, fleet.shards);
    this.#codec = identityEventList<Codecs>(config.kinds ?? ({} as Codecs));
    this.#position = position;
    this.#status = status;
  }

  signals(): Observable<FeedSignal<Codecs>> {
    return defer(() => this.#begin()).pipe(
      switchMap(chain => {
        this.#hasBegun = true;
        this.#status.set('live');
        return merge(this.#connection(), this.#records(chain));
      }),
      catchError((failed: unknown) => {
        if (failed instanceof LostRecords) this.#position.lose();
        const error = natsProblem(failed);
        this.#status.set('retrying', error);
        throw error;
      }),
      backoff({
        shouldRetry: error => this.#hasBegun && !isInputError(error) && !isNewerVersion(error),
      }),
    );
  }

  /** Finds the position where the feed goes on. */
  async #begin(): Promise<RecordChain> {
    const position = this.#position;
    const generation = await this.#fleet.generation();
    // The stream was created again, so old positions mean nothing, even if it is already longer
    // than the one before.
    if (generation !== (position.generation ?? generation)) position.lose();
    position.generation = generation;
    position.handled ??= await lastRecordOf(this.#fleet, this.#subject);
    // Everything up to that record has expired, or the stream has lost its end.
    if (await hasLost(this.#fleet, this.#subject, position.handled)) position.handled = NO_RECORD;
    position.chain ??= new RecordChain(position.handled.sequence);
    return position.chain;
  }

  /** Follows the state of the connection. */
  #connection(): Observable<never> {
    return connectionStatus(this.#fleet.nats).pipe(
      tap(({ type }) => {
        if (type === 'disconnect' || type === 'reconnecting') this.#status.set('retrying');
        if (type === 'reconnect') this.#status.set('live');
      }),
      ignoreElements(),
    );
  }

  #records(chain: RecordChain): Observable<FeedSignal<Codecs>> {
    return identityMessages(this.#fleet, this.#subject, () => this.#position.handled!).pipe(
      concatMap(message => this.#recordOf(message)),
      concatMap(record => {
        if (!record) return [];
        const { sequence, key } = record;
        this.#position.handled = { sequence, key };
        return this.#signalsOf(record, chain);
      }),
    );
  }

  /** Returns `undefined` if the message is only a part of a record. */
  async #recordOf(message: FleetMessage): Promise<StoredRecord | undefined> {
    const record = await storedRecord(message, sequence => Promise.resolve(this.#parts.get(sequence)));
    if (record) this.#parts.clear();
    else this.#parts.set(message.sequence, message);
    return record;
  }

  #signalsOf(record: StoredRecord, chain: RecordChain): readonly FeedSignal<Codecs>[] {
    const gap = chain.gapBefore(record);
    const answer = decodedEvents(this.#codec, record.answer);
    const signal: FeedSignal<Codecs> = { kind: 'answer', answer };
    return gap ? [{ kind: 'gap', gap }, signal] : [signal];
  }
}
