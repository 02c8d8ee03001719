import type { KvEntry } from '@nats-io/kv';
import { defer, Observable, tap } from 'rxjs';
import { cursor, plainObject, positiveInteger, readOr } from '../../../error/index.js';
import type { Heartbeat } from '../fleet-event.js';
import {
  NO_SHARES,
  type FleetRegistry,
  type IdlePlace,
  type IdlePlaces,
  type Participant,
  type Present,
  type Shares,
  type StoredShares,
} from '../worker/index.js';
import { fenced } from './fenced.js';
import { MAX_CAPACITY, workerName } from './fleet-names.js';
import type { NatsClock } from './nats-clock.js';
import type { WorkingFleet } from './open-fleet.js';

/** The key of the shares, and those of the places of a shard. */
const SHARES = 'shares';
const IDLE = 'idle.';

/** A leader looks so often, four times in a lease, until it looks for what NATS may have lost. */
const LOOK_EVERY = 4;

/** The clocks of a cluster write the same time in more than one way: by how much they differ at most, in ms. */
const SAME = 100;

/** A beat of this worker: where it was stored, and between which times of this machine. */
interface Beat {
  readonly seq: number;
  readonly sentAt: number;
  readonly heardAt: number;
}

/** What a fleet keeps in NATS besides its records, for one of its workers. */
export class NatsRegistry implements FleetRegistry {
  readonly changed$: Observable<unknown>;
  readonly #fleet: WorkingFleet;
  readonly #clock: NatsClock;
  /** The position of the message by which this worker leads; 0 if it does not. */
  #leading = 0;
  #beats = 0;
  #looks = 0;
  #hasLeft = false;
  #first: number | undefined;
  #last: Beat | undefined;
  /** When the stream of who is alive was created, and how often that has changed. */
  #created: number;
  #list = 0;

  constructor(fleet: WorkingFleet, clock: NatsClock) {
    const { nats, names } = fleet;
    this.#fleet = fleet;
    this.#clock = clock;
    this.#created = Date.parse(fleet.aliveSince);
    this.changed$ = new Observable(subscriber => {
      const following = nats.subscribe(names.assigned, { callback: () => subscriber.next(undefined) });
      return () => following.unsubscribe();
    });
  }

  present(beat: Heartbeat): Observable<boolean> {
    return this.#asked(async () => {
      // Less often is soon enough.
      const hasNamesake = this.#beats++ % 2 === 1 && (await this.#hasNamesake(beat));
      const { js, names } = this.#fleet;
      const sentAt = Date.now();
      // It has left meanwhile.
      if (this.#hasLeft) return false;
      const data = JSON.stringify({ ...beat, first: this.#first });
      const { seq } = await js.publish(subjectOf(names.present, beat), data);
      this.#first ??= seq;
      // The server was put back: the beats of others since then are lost.
      if (this.#last && seq <= this.#last.seq) {
        this.#list++;
        this.#first = seq;
      }
      this.#last = { seq, sentAt, heardAt: Date.now() };
      return hasNamesake;
    });
  }

  lead(epoch: number): Observable<{ readonly isMine: boolean; readonly epoch: number }> {
    return this.#asked(async () => {
      const { js, jsm, names } = this.#fleet;
      const subject = leaderOf(names.present);
      // A follower of a cluster, which a direct get may ask, may lag behind.
      const led =
        this.#leading > 0 ? null : await jsm.streams.getMessage(names.alive, { last_by_subj: subject });
      if (led) return { isMine: false, epoch: Number(led.string()) };
      const expect = { lastSubjectSequence: this.#leading };
      const stored = await fenced(() => js.publish(subject, String(epoch), { expect }));
      this.#leading = stored?.seq ?? 0;
      return { isMine: this.#leading > 0, epoch };
    });
  }

  announce(epoch: number): Observable<unknown> {
    return this.lead(epoch).pipe(tap(({ isMine }) => isMine && this.#poke()));
  }

  alive(): Observable<Present> {
    return this.#asked(async () => {
      const { jsm, names } = this.#fleet;
      // A direct get of a stream that is gone is not answered, as of one that is late: so it is looked for, now and then.
      if (this.#looks++ % LOOK_EVERY === 0) await this.#fleet.ensure();
      const prefix = `${names.present}.worker.`;
      const { state, created } = await jsm.streams.info(names.alive, { subjects_filter: `${prefix}*.*` });
      const at = Date.parse(created);
      if (Math.abs(at - this.#created) > SAME) this.#list++;
      this.#created = at;
      const workers = Object.keys(state.subjects ?? {}).map(subject => {
        const [worker, capacity] = subject.slice(prefix.length).split('.');
        return { worker, capacity: Number(capacity) };
      });
      return { workers: workers.filter(isParticipant), list: this.#list };
    });
  }

  read(): Observable<StoredShares> {
    return this.#asked(async () => {
      const entry = await this.#fleet.kv.get(SHARES);
      const value = entry?.operation === 'PUT' ? jsonOf(entry) : undefined;
      return { revision: entry?.revision ?? 0, shares: isShares(value) ? value : NO_SHARES };
    });
  }

  store(shares: Shares, previousSeq: number): Observable<number | undefined> {
    const { kv } = this.#fleet;
    return this.#asked(() => fenced(() => kv.put(SHARES, JSON.stringify(shares), { previousSeq })));
  }

  leave(me: Participant): Observable<unknown> {
    this.#hasLeft = true;
    const { jsm, names } = this.#fleet;
    const subjects = [subjectOf(names.present, me), ...(this.#leading > 0 ? [leaderOf(names.present)] : [])];
    return this.#asked(async () => {
      const purging = subjects.map(filter => jsm.streams.purge(names.alive, { filter }));
      this.#poke();
      await Promise.all(purging);
      // Who looked before it was done did not see it.
      this.#poke();
    });
  }

  places(shard: number): Observable<IdlePlaces> {
    return this.#asked(async () => {
      const entry = await this.#fleet.places.get(`${IDLE}${shard}`);
      return placesAt(entry ? jsonOf(entry) : undefined, at => this.#clock.toLocal(at));
    });
  }

  storePlaces(shard: number, idle: IdlePlaces): Observable<unknown> {
    return this.#asked(() => {
      const stored = placesAt(idle, at => this.#clock.toNats(at));
      return this.#fleet.places.put(`${IDLE}${shard}`, JSON.stringify(stored));
    });
  }

  #asked<T>(ask: () => Promise<T>): Observable<T> {
    return defer(() =>
      ask().catch((error: unknown) => {
        // It may have stopped leading meanwhile.
        this.#leading = 0;
        return this.#fleet.restore(error);
      }),
    );
  }

  /**
   * Whether the last beat under the name of this worker is that of another process, which was there before. If it is its own, clocks are compared
   * by it.
   */
  async #hasNamesake({ worker, instance }: Heartbeat): Promise<boolean> {
    const last = this.#last;
    if (!last) return false;
    const { jsm, names } = this.#fleet;
    const query = { last_by_subj: `${names.present}.worker.${worker}.*` };
    const message = await jsm.streams.getMessage(names.alive, query);
    if (message?.seq === last.seq) this.#clock.learn(last.sentAt, message.time.getTime(), last.heardAt);
    // A beat from before this process began may be of one that has ended.
    if (!message || message.seq <= this.#first!) return false;
    const other = Object(jsonOf(message)) as Partial<Heartbeat> & { readonly first?: unknown };
    return other.instance !== instance && typeof other.first === 'number' && other.first < this.#first!;
  }

  #poke(): void {
    const { nats, names } = this.#fleet;
    if (!nats.isClosed()) nats.publish(names.assigned);
  }
}

const leaderOf = (present: string) => `${present}.leader`;
const subjectOf = (present: string, { worker, capacity }: Participant) =>
  `${present}.worker.${worker}.${capacity}`;

/** Idle places with times by another clock; none if something else is stored. */
function placesAt(places: unknown, atOf: (at: number) => number): IdlePlaces {
  if (!plainObject.is(places)) return {};
  return Object.fromEntries(
    Object.entries(places).flatMap(([id, place]) =>
      isPlace(place) ? [[id, { ...place, at: atOf(place.at) }]] : [],
    ),
  );
}

const jsonOf = (stored: Pick<KvEntry, 'json'>) => readOr(undefined, () => stored.json<unknown>());

/** Anyone who may write to the bucket may have written anything. */
function isShares(u: unknown): u is Shares {
  const { epoch, workers, owners, silent } = Object(u) as Partial<Record<keyof Shares, unknown>>;
  return (
    Number.isSafeInteger(epoch) &&
    Array.isArray(workers) &&
    workers.every(isParticipant) &&
    Array.isArray(owners) &&
    owners.every(owner => Number.isSafeInteger(owner) && (owner as number) >= 0) &&
    Array.isArray(silent)
  );
}

function isParticipant(u: unknown): u is Participant {
  const { worker, capacity } = Object(u) as Partial<Record<keyof Participant, unknown>>;
  return workerName.is(worker) && positiveInteger.is(capacity) && capacity <= MAX_CAPACITY;
}

function isPlace(u: unknown): u is IdlePlace {
  const { sequence, index, at } = Object(u) as Partial<Record<keyof IdlePlace, unknown>>;
  return Number.isSafeInteger(sequence) && cursor.is(index) && Number.isFinite(at);
}
