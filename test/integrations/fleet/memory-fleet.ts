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
import {
  NO_SHARES,
  type FleetRegistry,
  type IdlePlaces,
  type StoredShares,
} from '../../../src/integrations/fleet/worker/fleet-registry.js';

/** How far away the memory is, in ms each way. */
const LATENCY = 5;

/** A record, or a part of one that nobody has finished. */
interface Message {
  readonly sequence: number;
  readonly epoch: number;
  readonly record?: FleetRecord;
}

/** What stands between a worker and the memory. */
export interface Link {
  /** Nothing gets through in either direction, as if the worker's connection was lost. Requests fail after a while. */
  isCut: boolean;
  /** So many of the next appends are stored, but their answers are lost. */
  lostAnswers: number;
  /** The time of the worker, which may be frozen. */
  readonly scheduler: SchedulerLike;
}

/** What a worker, or the leader, has told last. */
interface Told {
  readonly at: number;
  readonly number: number;
}

/** Everything that NATS does for a fleet, in memory, in the time of a scheduler. */
export class MemoryFleet {
  readonly records: FleetRecord[] = [];
  /** So many refusals do not yet see what was appended before, as if they were read from a server that lags behind. */
  lag = 0;
  readonly #scheduler: SchedulerLike;
  readonly #messages = new Map<string, Message[]>();
  readonly #places = new Map<number, IdlePlaces>();
  readonly #changes$ = new Subject<void>();
  readonly #lease: number;
  readonly #alive = new Map<string, Told & { readonly beat: Heartbeat; readonly first: number }>();
  #leader: (Told & { readonly link: Link; readonly epoch: number }) | undefined;
  #list = 1;
  #shares: StoredShares = { revision: 0, shares: NO_SHARES };
  #told = 0;
  #sequence = 0;

  constructor(scheduler: SchedulerLike, lease: number) {
    this.#scheduler = scheduler;
    this.#lease = lease;
  }

  /** The records of an identity, in order. */
  recordsOf(identity_id: string): readonly FleetRecord[] {
    return this.records.filter(record => record.identity_id === identity_id);
  }

  /** The worker of each shard, by the shares as they are stored. */
  get owners(): readonly (string | undefined)[] {
    const { workers, owners } = this.#shares.shares;
    return owners.map(owner => workers[owner]?.worker);
  }

  get epoch(): number {
    return this.#shares.shares.epoch;
  }

  /** How often shares have been stored. */
  get revision(): number {
    return this.#shares.revision;
  }

  /** A worker that nobody hears any more stores a record. */
  storeAs(record: FleetRecord): void {
    this.#append(record, this.#head(record.identity_id));
  }

  /** A part of a record that nobody finishes. */
  leavePart(identity_id: string, epoch: number): void {
    this.#of(identity_id).push({ sequence: ++this.#sequence, epoch });
  }

  /** All records are as old as the log keeps them. */
  expire(): void {
    this.#messages.clear();
  }

  /** The shares are lost, as if somebody had deleted them. */
  forgetShares(): void {
    this.#shares = {
      // A new bucket counts anew.
      revision: 0,
      shares: NO_SHARES,
    };
  }

  /** The list of who is alive, and who leads, is lost, as if somebody had deleted its stream. */
  forgetAlive(): void {
    this.#alive.clear();
    this.#leader = undefined;
    this.#list++;
  }

  log(link: Link): FleetLog {
    return {
      lost$: NEVER,
      head: identity_id => this.#ask(link, () => of(this.#head(identity_id))),
      append: (record, head) =>
        this.#ask(link, () => {
          const appended = this.#append(record, head);
          if (link.lostAnswers === 0 || appended.kind === 'refused') return of(appended);
          link.lostAnswers--;
          return throwError(() => new Error('no answer'));
        }),
    };
  }

  registry(link: Link): FleetRegistry {
    const lead = (epoch: number) => {
      const led = this.#leader && this.#isFresh(this.#leader) ? this.#leader : undefined;
      if (led && led.link !== link) return { isMine: false, epoch: led.epoch };
      this.#leader = { link, epoch, ...this.#now() };
      return { isMine: true, epoch };
    };
    const began = this.#list;
    let first: number | undefined;
    return {
      changed$: new Observable(subscriber =>
        this.#changes$.pipe(delay(LATENCY, link.scheduler)).subscribe(() => {
          if (!link.isCut) subscriber.next(undefined);
        }),
      ),
      present: beat =>
        this.#ask(link, () => {
          const before = this.#alive.get(beat.worker);
          const told = this.#now();
          const isOther = before && before.beat.instance !== beat.instance;
          const hasNamesake = isOther && first !== undefined && before.number > first && before.first < first;
          first ??= told.number;
          this.#alive.set(beat.worker, { beat, first, ...told });
          return of(hasNamesake === true);
        }),
      lead: epoch => this.#ask(link, () => of(lead(epoch))),
      announce: epoch =>
        this.#ask(link, () => {
          if (lead(epoch).isMine) this.#changes$.next();
          return of(0);
        }),
      alive: () =>
        this.#ask(link, () => {
          const workers = [...this.#alive.values()]
            .filter(told => this.#isFresh(told))
            .map(({ beat }) => beat);
          return of({
            workers: workers.map(({ worker, capacity }) => ({ worker, capacity })),
            list: this.#list - began,
          });
        }),
      read: () => this.#ask(link, () => of(this.#shares)),
      store: (shares, expected) =>
        this.#ask(link, () => {
          const { revision } = this.#shares;
          if (revision !== expected) return of(undefined);
          this.#shares = { revision: revision + 1, shares: structuredClone(shares) };
          return of(revision + 1);
        }),
      leave: ({ worker }) =>
        this.#ask(link, () => {
          this.#alive.delete(worker);
          if (this.#leader?.link === link) this.#leader = undefined;
          this.#changes$.next();
          return of(0);
        }),
      places: shard => this.#ask(link, () => of(this.#places.get(shard) ?? {})),
      storePlaces: (shard, places) =>
        this.#ask(link, () => {
          this.#places.set(shard, structuredClone(places));
          return of(0);
        }),
    };
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
        if (!subscriber.closed)
          subscriber.add(answer$.pipe(delay(LATENCY, link.scheduler)).subscribe(subscriber));
      }, LATENCY);
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
    const { checkpoint, epoch, key } = stored?.record ?? {};
    return {
      last: last?.sequence ?? 0,
      epoch: last?.epoch ?? 0,
      record: stored && { sequence: stored.sequence, checkpoint: checkpoint!, epoch: epoch!, key: key! },
    };
  }

  #append(record: FleetRecord, { last }: FleetHead): Appended {
    const head = this.#head(record.identity_id);
    if (head.last !== last) {
      const isSeen = this.lag-- <= 0;
      return { kind: 'refused', head: isSeen ? head : { ...head, last } };
    }
    const sequence = ++this.#sequence;
    this.#of(record.identity_id).push({ sequence, epoch: record.epoch, record });
    this.records.push(record);
    return { kind: 'stored', sequence };
  }
}
