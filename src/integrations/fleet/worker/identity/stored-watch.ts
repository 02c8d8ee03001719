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

/** NATS is asked again after this time at most, in ms: once it stores again, all is stored soon. */
const MAX_BACKOFF_MS = 4_000;

/**
 * An append that was refused, although nothing is seen that came before it, is tried again after
 * this time, in ms.
 */
const UNSEEN_MS = 250;

/** What a stored watch needs. */
export interface StoredWatchConfig {
  readonly identity_id: string;
  /** Watches the raw events of the identity. */
  readonly watch: (config: WatchConfig<RawEventList>) => Observable<WatchSignal<RawEventList>>;
  readonly log: FleetLog;
  /** Up to where there was nothing new. */
  readonly checkpoints: Pick<ShardCheckpoints, 'of'>;
  /** Makes the key of a record. */
  readonly newKey: () => string;
  readonly random: () => number;
  readonly scheduler: SchedulerLike;
  readonly monotonic: TimestampProvider;
}

/**
 * Watches an identity from where its records end, and appends each answer with news. Nothing is
 * polled before the last answer is stored. If another worker has stored what followed the same
 * checkpoint, it goes on from theirs; if records were lost, from the last one that is left.
 *
 * It ends with an error that polling again cannot fix.
 */
export function storedWatch(config: StoredWatchConfig): Observable<IdentityEvent> {
  return new Observable(subscriber => {
    const { log, identity_id, random, scheduler } = config;
    const emit = (event: IdentityEvent) => subscriber.next(event);
    /** Repeats what NATS does not answer, and tells so. */
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
    // All records have expired. The checkpoint after the last one has been kept for longer.
    const isExpired = head.last === 0 && bareCheckpoint !== undefined;
    this.#head = isExpired
      ? { ...head, record: { sequence: bareCheckpoint.sequence, checkpoint: bareCheckpoint, key: '' } }
      : head;
    this.#bareCheckpoint = bareCheckpoint;
    this.#config = config;
    this.#tried = tried;
    this.#emit = emit;
  }

  /**
   * Where to begin: the last record, or later if nothing came after it. Without any record, from
   * now.
   */
  get start(): Checkpoint | undefined {
    const { record } = this.#head;
    const isNewer = this.#bareCheckpoint?.sequence === record?.sequence;
    const checkpoint = (isNewer ? this.#bareCheckpoint : undefined) ?? record?.checkpoint;
    return checkpoint && this.#ofWatch(checkpoint);
  }

  acknowledge(answer: RawEventList, now: Checkpoint, gap?: Gap): Observable<AckDecision> {
    const { identity_id, newKey } = this.#config;
    const { record } = this.#head;
    const checkpoint = this.#ofFleet(now);
    if (record && answer.events.length === 0 && !gap) {
      this.#emit({ kind: 'checkpoint', checkpoint: { sequence: record.sequence, ...checkpoint } });
      return EMPTY;
    }
    return defer(() => {
      this.#emit({ kind: 'storing' });
      return this.#append({ identity_id, answer, checkpoint, gap, key: newKey() });
    });
  }

  #append(record: FleetRecord): Observable<AckDecision> {
    const appended$ = defer(() => this.#config.log.append(record, this.#head));
    return this.#tried(appended$).pipe(concatMap(appended => this.#settle(record, appended)));
  }

  #settle(record: FleetRecord, appended: Appended): Observable<AckDecision> {
    if (appended.kind === 'stored') return this.#stored(record, appended.sequence);
    const before = this.#head;
    this.#head = appended.head;
    const { record: last } = appended.head;
    // Stored by an attempt that got no answer.
    if (last?.key === record.key) return this.#stored(record, last.sequence);
    if (!last || last.sequence === before.record?.sequence) {
      // Nothing but a part of an unfinished record, or all records have expired. Or what is read
      // lags behind.
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

  /** A watch has times of the clock of this machine, of which only the difference to now counts. */
  #ofWatch({ index, since }: FleetCheckpoint): Checkpoint {
    const { scheduler, monotonic } = this.#config;
    return { index, at: scheduler.now() - (monotonic.now() - since) };
  }

  #ofFleet({ index, at }: Checkpoint): FleetCheckpoint {
    const { scheduler, monotonic } = this.#config;
    return { index, since: monotonic.now() - Math.max(0, scheduler.now() - at) };
  }
}
