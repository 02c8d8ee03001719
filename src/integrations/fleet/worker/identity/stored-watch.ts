import {
  concatMap,
  defer,
  EMPTY,
  Observable,
  of,
  startWith,
  switchMap,
  tap,
  timer,
  type SchedulerLike,
  type TimestampProvider,
} from 'rxjs';
import type { RawEventList } from '../../../../protocol/index.js';
import {
  backoff,
  type AckDecision,
  type Checkpoint,
  type Gap,
  type WatchConfig,
  type WatchSignal,
} from '../../../../stream/index.js';
import type { Appended, FleetCheckpoint, FleetHead, FleetLog, FleetRecord } from '../fleet-log.js';
import type { BareCheckpoint } from '../fleet-registry.js';
import type { IdentityEvent } from './identity-status.js';
import type { ShardCheckpoints } from '../shard-checkpoints.js';

/**
 * The longest wait before NATS is asked again, in ms. It is short, so that everything is stored
 * soon after NATS stores again.
 */
const MAX_BACKOFF_MS = 4_000;

/**
 * After a conflict, the conflicting message may not be visible yet. Then the append is tried again
 * after this time, in ms.
 */
const UNSEEN_MS = 250;

/** The options of {@link storedWatch}. */
export interface StoredWatchConfig {
  readonly identity_id: string;
  /** Watches the raw events of the identity. */
  readonly watch: (config: WatchConfig<RawEventList>) => Observable<WatchSignal<RawEventList>>;
  readonly log: FleetLog;
  /** The bare checkpoints, up to which nothing was new. */
  readonly checkpoints: Pick<ShardCheckpoints, 'of'>;
  /** Makes a unique key for a record. */
  readonly newKey: () => string;
  readonly random: () => number;
  readonly scheduler: SchedulerLike;
  readonly monotonic: TimestampProvider;
}

/**
 * Watches an identity from the end of its records, and appends each answer with news. The next poll
 * is sent only after the last answer is stored. If another worker has stored a record after the
 * same checkpoint, the watch goes on after that record. If records were lost, it goes on after the
 * last one that is left.
 *
 * It errors only if polling again cannot help.
 */
export function storedWatch(config: StoredWatchConfig): Observable<IdentityEvent> {
  return new Observable(subscriber => {
    const { log, identity_id, random, scheduler } = config;
    const emit = (event: IdentityEvent) => subscriber.next(event);
    /** Retries a task until NATS answers, and emits each error. */
    const tried = <T>(task$: Observable<T>) =>
      task$.pipe(
        tap({ error: (error: unknown) => emit({ kind: 'nats_error', error }) }),
        backoff({ max: MAX_BACKOFF_MS, testing: { random }, scheduler }),
      );
    const signals$ = log.lost$.pipe(
      startWith(undefined),
      switchMap(() => tried(log.head(identity_id))),
      switchMap(head => {
        const appending = new Appending(head, config, tried, emit);
        return config.watch({
          from: appending.start,
          ack: (answer, checkpoint, gap) => appending.acknowledge(answer, checkpoint, gap),
        });
      }),
    );
    const next = (signal: WatchSignal<RawEventList>) => {
      if (signal.kind === 'status') emit(signal);
    };
    return signals$.subscribe({
      next,
      error: (error: unknown) => subscriber.error(error),
      complete: () => subscriber.complete(),
    });
  });
}

/** Appends the answers for one identity, one after another. */
class Appending {
  #head: FleetHead;
  readonly #bareCheckpoint: BareCheckpoint | undefined;
  readonly #config: StoredWatchConfig;
  readonly #tried: <T>(task$: Observable<T>) => Observable<T>;
  readonly #emit: (event: IdentityEvent) => void;

  constructor(
    head: FleetHead,
    config: StoredWatchConfig,
    tried: <T>(task$: Observable<T>) => Observable<T>,
    emit: (event: IdentityEvent) => void,
  ) {
    const bareCheckpoint = config.checkpoints.of(config.identity_id);
    this.#head = head;
    if (head.last === 0 && bareCheckpoint !== undefined) {
      // All records have expired, but the bare checkpoint after the last one is still stored.
      const { sequence, key } = bareCheckpoint;
      this.#head = { ...head, record: { sequence, checkpoint: bareCheckpoint, key } };
    }
    this.#bareCheckpoint = bareCheckpoint;
    this.#config = config;
    this.#tried = tried;
    this.#emit = emit;
  }

  /**
   * The checkpoint of the last record, or a newer bare one. `undefined` without any record: the
   * watch begins from now.
   */
  get start(): Checkpoint | undefined {
    const { record } = this.#head;
    const bare = this.#bareCheckpoint;
    const isNewer = bare !== undefined && bare.key === record?.key;
    const checkpoint = isNewer ? bare : record?.checkpoint;
    return checkpoint && this.#ofWatch(checkpoint);
  }

  acknowledge(answer: RawEventList, now: Checkpoint, gap?: Gap): Observable<AckDecision> {
    const { identity_id, newKey } = this.#config;
    const { record } = this.#head;
    const checkpoint = this.#ofFleet(now);
    if (record && answer.events.length === 0 && !gap) {
      const { sequence, key } = record;
      this.#emit({ kind: 'checkpoint', checkpoint: { sequence, key, ...checkpoint } });
      return EMPTY;
    }
    return defer(() => {
      this.#emit({ kind: 'storing' });
      return this.#append({ identity_id, answer, checkpoint, gap, key: newKey() });
    });
  }

  #append(record: FleetRecord): Observable<AckDecision> {
    const appended$ = defer(() => this.#config.log.append(record, this.#head));
    return this.#tried(appended$).pipe(concatMap(appended => this.#decide(record, appended)));
  }

  #decide(record: FleetRecord, appended: Appended): Observable<AckDecision> {
    if (appended.kind === 'stored') return this.#stored(record, appended.sequence);
    const before = this.#head;
    this.#head = appended.head;
    const { record: last } = appended.head;
    // An earlier attempt stored this record, but got no answer.
    if (last?.key === record.key) return this.#stored(record, last.sequence);
    if (!last || last.key === before.record?.key) {
      // No other record came before this one. There is a part of an unfinished record, or all
      // records have expired, or the server that was read lags behind.
      this.#head = { ...appended.head, record: before.record };
      const again$ = defer(() => this.#append(record));
      return appended.head.last === before.last
        ? timer(UNSEEN_MS, this.#config.scheduler).pipe(concatMap(() => again$))
        : again$;
    }
    this.#emit({ kind: 'conflict' });
    return of({ watch: 'resume', from: this.#ofWatch(last.checkpoint) });
  }

  #stored({ answer, gap, checkpoint, key }: FleetRecord, sequence: number): Observable<never> {
    this.#head = { last: sequence, record: { sequence, checkpoint, key } };
    this.#emit({ kind: 'stored', events: answer.events.length, gap });
    return EMPTY;
  }

  /** A watch has times of the wall clock of this machine. Only their difference to now counts. */
  #ofWatch({ index, since }: FleetCheckpoint): Checkpoint {
    const { scheduler, monotonic } = this.#config;
    return { index, at: scheduler.now() - (monotonic.now() - since) };
  }

  #ofFleet({ index, at }: Checkpoint): FleetCheckpoint {
    const { scheduler, monotonic } = this.#config;
    return { index, since: monotonic.now() - Math.max(0, scheduler.now() - at) };
  }
}
