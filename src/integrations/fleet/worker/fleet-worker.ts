import {
  concat,
  concatMap,
  defer,
  EMPTY,
  endWith,
  exhaustMap,
  filter,
  ignoreElements,
  last,
  merge,
  Observable,
  of,
  race,
  repeat,
  startWith,
  Subject,
  Subscription,
  take,
  takeUntil,
  tap,
  throwError,
  timer,
  type Subscriber,
} from 'rxjs';
import { InputError } from '../../../error/index.js';
import { FleetError } from '../fleet-error.js';
import type { FleetEvent } from '../fleet-event.js';
import { DifferingLists } from './differing-lists.js';
import type { FleetRegistry, Present } from './fleet-registry.js';
import type { IdentityPolls } from './identity/index.js';
import { BEATS_PER_LEASE, PATIENCE_LEASES } from './lease.js';
import {
  afterAnswer,
  afterLeaving,
  afterLook,
  initiallyKnown,
  workerChanges,
  type KnownWorkers,
} from './known-workers.js';
import { OwnedShards, type OwnedShardsConfig } from './owned-shards.js';
import { reportNatsError } from './report-nats-error.js';
import { SelfReport } from './report/index.js';

/**
 * A worker that finds no other waits for this time, in ms. Without the wait, the first worker of a
 * fleet would get all shards, and give away most of them.
 */
const ALONE_MS = 1_000;

/**
 * The options of {@link fleetWorker}. Everything about NATS and the service is behind `registry`
 * and `polls`.
 */
export interface FleetWorkerConfig extends Omit<OwnedShardsConfig, 'subscriber'> {
  /** Different for each process. */
  readonly instance: string;
  readonly registry: FleetRegistry;
  readonly polls: Pick<IdentityPolls, 'addresses' | 'check' | 'shareRate' | 'waiting' | 'watch'>;
  readonly shards: number;
  readonly lease: number;
  readonly capacity: number;
  /** Gives up everything and completes when this emits. */
  readonly drain$: Observable<unknown>;
}

/**
 * One of the workers that share a fleet's shards. It works in a loop of four steps. It reports that
 * it is alive (beat). It reads which workers are alive (look). It follows the identities in the
 * shards that it owns among them. It waits until a beat is due, or another worker announces a
 * change. Unsubscribing releases everything at once. `drain$` also waits until that is stored.
 */
export function fleetWorker(config: FleetWorkerConfig): Observable<FleetEvent> {
  return new Observable(subscriber => new FleetWorker(config, subscriber).start());
}

class FleetWorker {
  readonly #config: FleetWorkerConfig;
  readonly #subscriber: Subscriber<FleetEvent>;
  readonly #owned: OwnedShards;
  readonly #lists: DifferingLists;
  readonly #self: SelfReport;
  /** Everything that it does until it leaves. */
  readonly #running = new Subscription();
  #known: KnownWorkers;
  #isBeatDue = false;
  /** Whether NATS has stored a heartbeat since the last tick. */
  #isStored = true;
  #isUnanswered = false;
  /** Whether another worker has announced a change. */
  #isAnnounced = false;
  /** Emits when a beat or a look may be due. */
  readonly #due$ = new Subject<void>();
  // Silence is counted in ticks, because a late process has late ticks as well as late answers.
  #silentTicks = 0;
  /** When it looked for the first time, on the monotonic clock. */
  #lookedAt: number | undefined;

  constructor(config: FleetWorkerConfig, subscriber: Subscriber<FleetEvent>) {
    const { lease, monotonic } = config;
    this.#config = config;
    this.#subscriber = subscriber;
    this.#owned = new OwnedShards({ ...config, subscriber });
    this.#lists = new DifferingLists(lease);
    this.#self = new SelfReport(config, this.#owned);
    this.#known = initiallyKnown(monotonic.now());
  }

  start(): void {
    const { identities, registry, lease, drain$, scheduler } = this.#config;
    const subscriber = this.#subscriber;
    const error = (error: unknown) => subscriber.error(error);
    const beat = lease / BEATS_PER_LEASE;
    const ticks$ = timer(0, beat, scheduler).pipe(tap(() => this.#tick()));
    const round$ = concat(
      defer(() => this.#wait()),
      defer(() => this.#beat()),
      defer(() => this.#look()),
    );
    // A failed step is done again after the next tick.
    const loop$ = round$.pipe(reportNatsError(subscriber), repeat());
    // The others see a worker only once it knows its identities.
    const work$ = identities.known$.pipe(exhaustMap(() => merge(ticks$, loop$)));
    this.#running.add(work$.subscribe({ error }));
    this.#running.add(registry.changed$.subscribe({ next: leaving => this.#announced(leaving), error }));
    this.#running.add(this.#self.measure());
    subscriber.add(() => this.#leave().subscribe());
    const drained$ = drain$.pipe(
      take(1),
      concatMap(() => this.#leave().pipe(takeUntil(timer(lease, scheduler)), endWith('drained'), last())),
    );
    const drained = () => {
      subscriber.next({ kind: 'drained' });
      subscriber.complete();
    };
    subscriber.add(drained$.subscribe({ next: drained, error }));
  }

  /** Does everything that needs no answer of NATS, and reports if one is late. */
  #tick(): void {
    this.#owned.tick();
    this.#emitAll(this.#self.check());
    this.#silentTicks++;
    if (this.#silentTicks > PATIENCE_LEASES * BEATS_PER_LEASE) this.#owned.loseAll();
    if (!this.#isStored) this.#emitHeartbeat(false);
    this.#isStored = false;
    this.#isBeatDue = true;
    this.#due$.next();
  }

  /** Another worker has announced that a worker has come or leaves. */
  #announced(leaving: string | undefined): void {
    if (leaving !== undefined) this.#known = afterLeaving(this.#known, leaving);
    this.#isAnnounced = true;
    this.#due$.next();
  }

  /** Reports that it is alive, if a beat is due. */
  #beat(): Observable<unknown> {
    if (!this.#isBeatDue) return EMPTY;
    this.#isBeatDue = false;
    // Heartbeats may arrive although no answer comes back. A worker that hears nothing must not
    // count as alive, so it first has to hear an answer again.
    const heard$: Observable<unknown> = this.#isUnanswered ? this.#config.registry.alive() : of(true);
    this.#isUnanswered = true;
    return heard$.pipe(concatMap(() => this.#present()));
  }

  #present(): Observable<boolean> {
    const { name, lease, registry, monotonic } = this.#config;
    const { heartbeat, presence } = this.#self;
    const sentAt = monotonic.now();
    const stored = (hasNamesake: boolean) => {
      this.#isUnanswered = false;
      this.#known = afterAnswer(this.#known, sentAt, lease);
      this.#silentTicks = 0;
      this.#isStored = true;
      this.#emitHeartbeat(true);
      if (!hasNamesake) return;
      // The heartbeats under this name stay, because they are those of the other process.
      this.#stop().subscribe();
      this.#subscriber.error(new InputError('name', 'a name that no other worker has', name));
    };
    return registry.present(heartbeat, presence).pipe(tap(stored));
  }

  /** Reads which workers are alive, and follows the shards that it owns among them. */
  #look(): Observable<unknown> {
    const { registry, lease, scheduler } = this.#config;
    const isAnnounced = this.#isAnnounced;
    this.#isAnnounced = false;
    // The look fails before the next beat would have to wait for it. The timer has two halves: if
    // the process stood still, it reads an answer that has arrived before the second half is over.
    const half$ = timer(lease / BEATS_PER_LEASE / 2, scheduler).pipe(ignoreElements());
    const late$ = throwError(() => new FleetError('NATS did not report in time which workers are alive'));
    return race(registry.alive(), concat(half$, half$, late$)).pipe(
      concatMap(present => this.#apply(present, isAnnounced)),
    );
  }

  /** Applies what a look has found. Announces a change that no other worker has announced. */
  #apply(present: Present, isAnnounced: boolean): Observable<unknown> {
    const { name, lease, shards, identities, polls, registry, scheduler } = this.#config;
    const now = this.#config.monotonic.now();
    polls.shareRate(present.workers);
    this.#emitAll(this.#lists.check(identities.given(), present.workers, now));
    this.#lookedAt ??= now;
    const wait = this.#lookedAt + Math.min(ALONE_MS, lease / BEATS_PER_LEASE) - now;
    const isAlone = present.workers.every(({ worker }) => worker === name);
    if (isAlone && wait > 0) return timer(wait, scheduler).pipe(concatMap(() => this.#look()));
    const before = this.#known.assignment;
    this.#known = afterLook(this.#known, present, { me: this.#self.participant, shards, lease, now });
    const { assignment } = this.#known;
    this.#emitAll(workerChanges(assignment, before));
    this.#owned.applyAssignment(assignment, before);
    return assignment === before || isAnnounced ? EMPTY : registry.announce();
  }

  /** Completes when a beat is due, or another worker has announced a change. */
  #wait(): Observable<unknown> {
    return this.#due$.pipe(
      startWith(undefined),
      filter(() => this.#isBeatDue || this.#isAnnounced),
      take(1),
    );
  }

  #emitHeartbeat(stored: boolean): void {
    this.#subscriber.next({ kind: 'heartbeat', heartbeat: this.#self.heartbeat, stored });
  }

  #emitAll(events: readonly FleetEvent[]): void {
    for (const event of events) this.#subscriber.next(event);
  }

  /** Gives up everything, once. Completes when that is stored, or has failed. */
  #leave(): Observable<unknown> {
    if (this.#running.closed) return EMPTY;
    const released$ = this.#stop();
    const { registry, name } = this.#config;
    const left$ = registry.leave(name).pipe(reportNatsError(this.#subscriber));
    return merge(released$, left$);
  }

  /** Gives up all shards. Completes when their checkpoints are stored, or that has failed. */
  #stop(): Observable<unknown> {
    this.#running.unsubscribe();
    return this.#owned.releaseAll();
  }
}
