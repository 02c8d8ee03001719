import {
  concatMap,
  defer,
  EMPTY,
  finalize,
  Observable,
  of,
  startWith,
  switchMap,
  tap,
  timer,
  type SchedulerLike,
  type TimestampProvider,
} from 'rxjs';
import type { RawEventList } from '../../../protocol/index.js';
import {
  backoff,
  type AckDecision,
  type Checkpoint,
  type Gap,
  type WatchConfig,
  type WatchSignal,
  type WatchStatus,
} from '../../../stream/index.js';
import type { Appended, FleetCheckpoint, FleetHead, FleetLog, FleetRecord } from './fleet-log.js';
import type { BareCheckpoint } from './fleet-registry.js';

/** NATS is asked again at least so often, in ms: once it stores again, all is stored soon. */
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
  /** Up to where there was nothing new, as the last owner of the shard has seen it. */
  readonly idle: BareCheckpoint | undefined;
  /** Called when there is nothing new up to some place. */
  readonly onBareCheckpoint: (place: BareCheckpoint) => void;
  /** Called with 1 when there is an answer to be stored, and with -1 when it is, or is given up. */
  readonly onUnstored: (change: 1 | -1) => void;
  /** Makes the key of a record. */
  readonly newKey: () => string;
  readonly random: () => number;
  readonly scheduler: SchedulerLike;
  readonly monotonic: TimestampProvider;
}

/** What happens in a stored watch. */
export type StoredWatchEvent =
  | { readonly kind: 'stored'; readonly events: number; readonly gap: Gap | undefined }
  | { readonly kind: 'conflict' }
  /** A poll is sent, which is over in so long at most, in ms. */
  | { readonly kind: 'polled'; readonly timeout: number }
  | { readonly kind: 'status'; readonly status: WatchStatus }
  | { readonly kind: 'nats_error'; readonly error: unknown };

/**
 * Watches an identity from where its records end, and appends each answer with news. Nothing is
 * polled before the last answer is stored. If another worker has stored what followed the same
 * checkpoint, it goes on from theirs; if records were lost, from the last one that is left.
 *
 * It ends with an error that polling again cannot fix.
 */
export function storedWatch(config: StoredWatchConfig): Observable<StoredWatchEvent> {
  return new Observable(subscriber => {
    const { log, identity_id, random, scheduler } = config;
    /** Repeats what NATS does not answer, and tells so. */
    const tried = <T>(task$: Observable<T>) =>
      task$.pipe(
        tap({ error: (error: unknown) => subscriber.next({ kind: 'nats_error', error }) }),
        backoff({ max: MAX_BACKOFF_MS, testing: { random }, scheduler }),
      );
    let { idle } = config;
    const onBareCheckpoint = (place: BareCheckpoint) => {
      idle = place;
      config.onBareCheckpoint(place);
    };
    const signals$ = log.lost$.pipe(
      startWith(undefined),
      switchMap(() => tried(log.head(identity_id))),
      switchMap(head => {
        const now = { ...config, idle, onBareCheckpoint };
        const appending = new Appending(head, now, tried, event => subscriber.next(event));
        return config.watch({
          from: appending.start,
          ack: (answer, checkpoint, gap) => appending.acknowledge(answer, checkpoint, gap),
        });
      }),
    );
    const next = (signal: WatchSignal<RawEventList>) => {
      if (signal.kind === 'status') subscriber.next(signal);
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
  readonly #config: StoredWatchConfig;
  readonly #tried: <T>(task$: Observable<T>) => Observable<T>;
  readonly #emit: (event: StoredWatchEvent) => void;

  constructor(
    head: FleetHead,
    config: StoredWatchConfig,
    tried: <T>(task$: Observable<T>) => Observable<T>,
    emit: (event: StoredWatchEvent) => void,
  ) {
    const { idle } = config;
    // All records have expired, and the place after the last one has been kept for longer.
    const isExpired = head.last === 0 && idle !== undefined;
    this.#head = isExpired
      ? { ...head, record: { sequence: idle.sequence, checkpoint: idle, key: '' } }
      : head;
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
    const { idle } = this.#config;
    const checkpoint = idle && idle.sequence === record?.sequence ? idle : record?.checkpoint;
    return checkpoint && this.#ofWatch(checkpoint);
  }

  acknowledge(answer: RawEventList, now: Checkpoint, gap?: Gap): Observable<AckDecision> {
    const { identity_id, newKey, onBareCheckpoint, onUnstored } = this.#config;
    const { record } = this.#head;
    const checkpoint = this.#ofFleet(now);
    if (record && answer.events.length === 0 && !gap) {
      onBareCheckpoint({ sequence: record.sequence, ...checkpoint });
      return EMPTY;
    }
    return defer(() => {
      onUnstored(1);
      return this.#append({ identity_id, answer, checkpoint, gap, key: newKey() });
    }).pipe(finalize(() => onUnstored(-1)));
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
