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
import type {
  Claim,
  FleetRoster,
  IdlePlaces,
  RosterEntry,
} from '../../../src/integrations/fleet/worker/fleet-roster.js';

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

/** Everything that NATS does for a fleet, in memory, in the time of a scheduler. */
export class MemoryFleet {
  readonly records: FleetRecord[] = [];
  /** So many refusals do not yet see what was appended before, as if they were read from a server that lags behind. */
  lag = 0;
  readonly #scheduler: SchedulerLike;
  readonly #messages = new Map<string, Message[]>();
  readonly #entries = new Map<string, RosterEntry>();
  readonly #places = new Map<number, IdlePlaces>();
  #changes$ = new Subject<RosterEntry>();
  #sequence = 0;
  #revision = 0;

  constructor(scheduler: SchedulerLike) {
    this.#scheduler = scheduler;
  }

  /** The records of an identity, in order. */
  recordsOf(identity_id: string): readonly FleetRecord[] {
    return this.records.filter(record => record.identity_id === identity_id);
  }

  /** What a worker that is started now would hear first. */
  get entries(): readonly RosterEntry[] {
    return [...this.#entries.values()];
  }

  /** The claims as they are stored. */
  get claims(): readonly Claim[] {
    return this.entries.flatMap(entry => (entry.kind === 'claim' ? [entry.claim] : []));
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

  /** Whoever listens hears nothing more, and has to listen anew. Revisions begin anew, too. */
  silence(): void {
    this.#changes$ = new Subject();
    this.#revision = 0;
  }

  /** The claims are lost, as if somebody had deleted them. */
  forgetClaims(): void {
    for (const key of this.#entries.keys()) if (key.startsWith('claim')) this.#entries.delete(key);
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

  roster(link: Link): FleetRoster {
    const entries$ = new Observable<RosterEntry>(subscriber => {
      for (const entry of this.#entries.values()) subscriber.next(entry);
      subscriber.next({ kind: 'ready' });
      return this.#changes$.subscribe(entry => {
        if (!link.isCut) subscriber.next(entry);
      });
    });
    return {
      entries$: entries$.pipe(delay(LATENCY, link.scheduler)),
      beat: beat =>
        this.#ask(link, () => {
          this.beatAs(beat);
          return of(0);
        }),
      leave: worker =>
        this.#ask(link, () => {
          this.#entries.delete(`beat ${worker}`);
          this.#changes$.next({ kind: 'left', worker });
          return of(0);
        }),
      claim: (claim, revision) =>
        this.#ask(link, () => {
          const key = `claim ${claim.shard}`;
          const known = this.#entries.get(key) as Extract<RosterEntry, { kind: 'claim' }> | undefined;
          if ((known?.revision ?? 0) !== revision) return of(undefined);
          const next = ++this.#revision;
          this.#tell(key, { kind: 'claim', claim: structuredClone(claim), revision: next });
          return of(next);
        }),
      places: shard => this.#ask(link, () => of(this.#places.get(shard) ?? {})),
      storePlaces: (shard, places) =>
        this.#ask(link, () => {
          this.#places.set(shard, structuredClone(places));
          return of(0);
        }),
    };
  }

  /** Sends a beat in the name of another worker. */
  beatAs(beat: Heartbeat): void {
    this.#tell(`beat ${beat.worker}`, { kind: 'beat', beat, storedAt: this.#scheduler.now() });
  }

  #tell(key: string, entry: RosterEntry): void {
    this.#entries.set(key, entry);
    this.#changes$.next(entry);
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
