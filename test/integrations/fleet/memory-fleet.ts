import {
  concat,
  defer,
  delay,
  ignoreElements,
  NEVER,
  Observable,
  of,
  Subject,
  throwError,
  type SchedulerLike,
} from 'rxjs';
import type {
  Appended,
  FleetHead,
  FleetLog,
  FleetRecord,
} from '../../../src/integrations/fleet/worker/fleet-log.js';
import type { Heartbeat } from '../../../src/integrations/fleet/fleet-event.js';
import { assignShards } from '../../../src/integrations/fleet/worker/assign-shards.js';
import type {
  FleetRegistry,
  BareCheckpoints,
  Presence,
} from '../../../src/integrations/fleet/worker/fleet-registry.js';

/** How far away the memory is, in ms each way. */
const LATENCY_MS = 5;

/** A record, or a part of one that nobody has finished. */
interface Message {
  readonly sequence: number;
  readonly record?: FleetRecord;
}

/** What stands between a worker and the memory. */
export interface Link {
  /**
   * Nothing gets through in either direction, as if the worker's connection was lost. Requests fail
   * after a while.
   */
  isCut: boolean;
  /** The same, but records get through. */
  isZombie: boolean;
  /** Requests arrive, but no answer comes back. One direction of the connection is dead. */
  isDeaf: boolean;
  /** The service does not get the worker's polls. */
  isBanned: boolean;
  /** The worker is not told in time who is alive. */
  isBlind: boolean;
  /** How many of the next appends are stored, but get no answer. */
  lostAnswers: number;
  /** The time of the worker, which may be frozen. */
  readonly scheduler: SchedulerLike;
}

/** When a worker has told something last. */
interface Told {
  readonly at: number;
  readonly number: number;
}

/** Everything that NATS does for a fleet, in memory, in the time of a scheduler. */
export class MemoryFleet {
  readonly records: FleetRecord[] = [];
  /**
   * How many of the next conflicts do not yet see what was appended before, as if they were read
   * from a server that lags behind.
   */
  lag = 0;
  readonly #scheduler: SchedulerLike;
  readonly #messages = new Map<string, Message[]>();
  readonly #checkpoints = new Map<number, BareCheckpoints>();
  readonly #changes$ = new Subject<string | undefined>();
  readonly #lease: number;
  readonly #shards: number;
  readonly #alive = new Map<
    string,
    Told & { readonly beat: Heartbeat; readonly me: Presence; readonly first: number }
  >();
  #listLosses = 1;
  #told = 0;
  #sequence = 0;

  constructor(scheduler: SchedulerLike, lease: number, shards: number) {
    this.#scheduler = scheduler;
    this.#lease = lease;
    this.#shards = shards;
  }

  /** The records of an identity, in order. */
  recordsOf(identity_id: string): readonly FleetRecord[] {
    return this.records.filter(record => record.identity_id === identity_id);
  }

  /** The worker of each shard, among those that are alive. */
  get owners(): readonly (string | undefined)[] {
    const workers = this.#present();
    return assignShards(this.#shards, workers).map(owner => workers[owner]?.worker);
  }

  /** A worker that nobody hears any more stores a record. */
  storeAs(record: FleetRecord): void {
    this.#append(record, this.#head(record.identity_id));
  }

  /** A part of a record that nobody finishes. */
  leavePart(identity_id: string): void {
    this.#of(identity_id).push({ sequence: ++this.#sequence });
  }

  /** All records are as old as the log keeps them. */
  expire(): void {
    this.#messages.clear();
  }

  /** The list of who is alive is lost, as if somebody had deleted its stream. */
  forgetAlive(): void {
    this.#alive.clear();
    this.#listLosses++;
  }

  log(link: Link): FleetLog {
    return {
      lost$: NEVER,
      head: identity_id => this.#ask(link, () => of(this.#head(identity_id))),
      append: (record, head) =>
        this.#ask(link, () => {
          const appended = this.#append(record, head);
          if (link.lostAnswers === 0 || appended.kind === 'conflict') return of(appended);
          link.lostAnswers--;
          return throwError(() => new Error('no answer'));
        }),
    };
  }

  registry(link: Link): FleetRegistry {
    const began = this.#listLosses;
    let first: number | undefined;
    const ask = <T>(answer: () => Observable<T>) =>
      this.#ask({ ...link, isCut: link.isCut || link.isZombie }, answer);
    return {
      changed$: new Observable(subscriber =>
        this.#changes$.pipe(delay(LATENCY_MS, link.scheduler)).subscribe(leaving => {
          if (!link.isCut && !link.isZombie && !link.isDeaf) subscriber.next(leaving);
        }),
      ),
      present: (beat, me) =>
        ask(() => {
          const before = this.#alive.get(beat.worker);
          const told = this.#now();
          const isOther = before && before.beat.instance !== beat.instance;
          const hasNamesake = isOther && first !== undefined && before.number > first && before.first < first;
          first ??= told.number;
          this.#alive.set(beat.worker, { beat, me, first, ...told });
          return of(hasNamesake === true);
        }),
      announce: () =>
        ask(() => {
          this.#changes$.next(undefined);
          return of(0);
        }),
      alive: () =>
        this.#ask({ ...link, isCut: link.isCut || link.isZombie || link.isBlind }, () =>
          of({ workers: this.#present(), listLosses: this.#listLosses - began }),
        ),
      leave: worker =>
        ask(() => {
          this.#alive.delete(worker);
          this.#changes$.next(worker);
          return of(0);
        }),
      checkpoints: shard => ask(() => of(this.#checkpoints.get(shard) ?? {})),
      storeCheckpoints: (shard, checkpoints) =>
        ask(() => {
          this.#checkpoints.set(shard, structuredClone(checkpoints));
          return of(0);
        }),
    };
  }

  #present() {
    return [...this.#alive.values()].filter(told => this.#isFresh(told)).map(({ me }) => me);
  }

  #now(): Told {
    return { at: this.#scheduler.now(), number: ++this.#told };
  }

  #isFresh({ at }: Told): boolean {
    return this.#scheduler.now() - at < this.#lease;
  }

  #ask<T>(link: Link, answer: () => Observable<T>): Observable<T> {
    const timedOut$ = concat(
      of(0).pipe(delay(5_000, link.scheduler), ignoreElements()),
      throwError(() => new Error('timeout')),
    );
    const answered$ = new Observable<T>(subscriber => {
      this.#scheduler.schedule(() => {
        // What has been sent arrives, even if whoever sent it is gone.
        const answer$ = answer();
        if (link.isDeaf) subscriber.add(timedOut$.subscribe(subscriber));
        else if (!subscriber.closed)
          subscriber.add(answer$.pipe(delay(LATENCY_MS, link.scheduler)).subscribe(subscriber));
      }, LATENCY_MS);
    });
    return defer((): Observable<T> => (link.isCut ? timedOut$ : answered$));
  }

  #of(identity_id: string): Message[] {
    const messages = this.#messages.get(identity_id) ?? [];
    this.#messages.set(identity_id, messages);
    return messages;
  }

  #head(identity_id: string): FleetHead {
    const messages = this.#of(identity_id);
    const last = messages.at(-1);
    const stored = messages.filter(({ record }) => record).at(-1);
    const { checkpoint, key } = stored?.record ?? {};
    return {
      last: last?.sequence ?? 0,
      record: stored && { sequence: stored.sequence, checkpoint: checkpoint!, key: key! },
    };
  }

  #append(record: FleetRecord, { last }: FleetHead): Appended {
    const head = this.#head(record.identity_id);
    if (head.last !== last) {
      const isSeen = this.lag-- <= 0;
      return { kind: 'conflict', head: isSeen ? head : { ...head, last } };
    }
    const sequence = ++this.#sequence;
    this.#of(record.identity_id).push({ sequence, record });
    this.records.push(record);
    return { kind: 'stored', sequence };
  }
}
