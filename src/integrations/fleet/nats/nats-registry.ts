import type { KvEntry } from '@nats-io/kv';
import type { Msg } from '@nats-io/transport-node';
import { defer, EMPTY, Observable } from 'rxjs';
import { cursor, plainObject, tryOr } from '../../../error/index.js';
import { FleetError } from '../fleet-error.js';
import type { Heartbeat } from '../fleet-event.js';
import type { FleetRegistry, BareCheckpoint, BareCheckpoints, Presence, Present } from '../worker/index.js';
import { BEATS_PER_LEASE, PATIENCE_LEASES, shardOf } from '../worker/index.js';
import type { NatsTime } from './nats-time.js';
import type { WorkingFleet } from './open-fleet.js';
import { presenceIn, presenceOf, presenceSubject } from './presence-subject.js';

/** The key of the bare checkpoints of a shard, if there are `shards`. */
const checkpointsKey = (shards: number, shard: number) => `checkpoints.${shards}.${shard}`;

/** Each time it has looked this often, a worker looks for what NATS may have lost. */
const LOOKS_UNTIL_ENSURED = PATIENCE_LEASES * BEATS_PER_LEASE;

/**
 * The servers of a cluster write the same time in more than one way: by how much they differ at
 * most, in ms.
 */
const SAME_MS = 100;

/** A beat of this worker: where it was stored, and between which times of the monotonic clock. */
interface Beat {
  readonly seq: number;
  readonly sentAt: number;
  readonly heardAt: number;
}

/** What a fleet keeps in NATS besides its records, for one of its workers. */
export class NatsRegistry implements FleetRegistry {
  readonly changed$: Observable<string>;
  readonly #fleet: WorkingFleet;
  readonly #time: NatsTime;
  #beats = 0;
  #looks = 0;
  #hasLeft = false;
  #first: number | undefined;
  #last: Beat | undefined;
  /** When the stream of live workers was created, and how often that has changed. */
  #created: number;
  #list = 0;
  #former: ReadonlyMap<number, BareCheckpoints> | undefined;

  constructor(fleet: WorkingFleet, time: NatsTime) {
    const { nats, names } = fleet;
    this.#fleet = fleet;
    this.#time = time;
    this.#created = Date.parse(fleet.aliveSince);
    this.changed$ = new Observable(subscriber => {
      const callback = (error: Error | null, message: Msg) => {
        if (!error) subscriber.next(message.string());
      };
      const following = nats.subscribe(names.assigned, { callback });
      return () => following.unsubscribe();
    });
  }

  present(beat: Heartbeat, me: Presence): Observable<boolean> {
    return this.#asked(async () => {
      // Once in a lease is soon enough.
      const hasNamesake = this.#beats++ % BEATS_PER_LEASE === 1 && (await this.#hasNamesake(beat));
      const { publisher, names } = this.#fleet;
      const sentAt = performance.now();
      // It may have left in the meantime.
      if (this.#hasLeft) return false;
      const data = JSON.stringify({ ...beat, first: this.#first });
      const { seq } = await publisher.publish(names.alive, presenceSubject(names.present, me), data);
      this.#first ??= seq;
      // The server was put back: the beats of others since then are lost.
      if (this.#last && seq <= this.#last.seq) {
        this.#list++;
        this.#first = seq;
      }
      this.#last = { seq, sentAt, heardAt: performance.now() };
      // Before the first shard is taken.
      if (!this.#time.isKnown) await this.#learn(this.#last);
      return hasNamesake;
    });
  }

  announce(): Observable<never> {
    return defer(() => {
      this.#poke();
      return EMPTY;
    });
  }

  alive(): Observable<Present> {
    return this.#asked(async () => {
      const { jsm, names } = this.#fleet;
      // A direct get of a stream that is gone is not answered, as of one that is late: so it is
      // looked for, now and then.
      if (this.#looks++ % LOOKS_UNTIL_ENSURED === 0) await this.#fleet.ensure();
      const { state, created } = await jsm.streams.info(names.alive, {
        subjects_filter: `${presenceOf(names.present)}>`,
      });
      const at = Date.parse(created);
      if (Math.abs(at - this.#created) > SAME_MS) this.#list++;
      this.#created = at;
      const subjects = Object.keys(state.subjects ?? {});
      const workers = subjects.flatMap(subject => presenceIn(names.present, subject));
      return { workers, list: this.#list };
    });
  }

  leave(worker: string): Observable<unknown> {
    this.#hasLeft = true;
    const { jsm, names } = this.#fleet;
    return this.#asked(async () => {
      const purging = jsm.streams.purge(names.alive, { filter: `${presenceOf(names.present, worker)}>` });
      this.#poke(worker);
      await purging;
      // A worker that looked before it was done did not see it.
      this.#poke(worker);
    });
  }

  checkpoints(shard: number): Observable<BareCheckpoints> {
    return this.#asked(async () => {
      const own = await this.#storedCheckpoints(this.#fleet.shards, shard);
      if (this.#fleet.before.length === 0) return own;
      const former = Object.entries((await this.#readFormer()).get(shard) ?? {});
      // The present number may be one that there was before the others.
      return {
        ...own,
        ...Object.fromEntries(former.filter(([id, { since }]) => since > (own[id]?.since ?? -Infinity))),
      };
    });
  }

  async #storedCheckpoints(shards: number, shard: number): Promise<BareCheckpoints> {
    const entry = await this.#fleet.positions.get(checkpointsKey(shards, shard));
    return entry ? checkpointsIn(entry, (storedAt, age) => this.#time.since(storedAt, age)) : {};
  }

  /**
   * What was stored when there was another number of shards, by the present shard of each identity.
   */
  async #readFormer(): Promise<ReadonlyMap<number, BareCheckpoints>> {
    if (this.#former) return this.#former;
    const former = new Map<number, Record<string, BareCheckpoint>>();
    for (const shards of this.#fleet.before)
      for (let shard = 0; shard < shards; shard++) {
        for (const [id, checkpoint] of Object.entries(await this.#storedCheckpoints(shards, shard))) {
          const now = shardOf(id, this.#fleet.shards);
          const checkpoints = former.get(now) ?? {};
          checkpoints[id] = checkpoint;
          former.set(now, checkpoints);
        }
      }
    this.#former = former;
    return this.#former;
  }

  storeCheckpoints(shard: number, checkpoints: BareCheckpoints): Observable<unknown> {
    return this.#asked(() => {
      const stored = Object.fromEntries(
        Object.entries(checkpoints).map(([id, { sequence, index, since }]) => [
          id,
          { sequence, index, age: this.#time.age(since) },
        ]),
      );
      return this.#fleet.positions.put(checkpointsKey(this.#fleet.shards, shard), JSON.stringify(stored));
    });
  }

  #asked<T>(ask: () => Promise<T>): Observable<T> {
    return defer(() => ask().catch(this.#fleet.restore));
  }

  /** Learns the time of NATS from a beat of this worker. */
  async #learn({ seq, sentAt, heardAt }: Beat): Promise<void> {
    const { jsm, names } = this.#fleet;
    const message = await jsm.streams.getMessage(names.alive, { seq });
    if (!message) throw new FleetError('NATS did not say in time when it stored that this worker is alive');
    this.#time.learn(sentAt, message.time.getTime(), heardAt);
  }

  /**
   * Whether the last beat under the name of this worker is that of another process, which was there
   * before. If it is its own, it tells the time of NATS.
   */
  async #hasNamesake({ worker, instance }: Heartbeat): Promise<boolean> {
    const last = this.#last;
    if (!last) return false;
    const { jsm, names } = this.#fleet;
    const query = { last_by_subj: `${presenceOf(names.present, worker)}>` };
    const message = await jsm.streams.getMessage(names.alive, query);
    if (message?.seq === last.seq) this.#time.learn(last.sentAt, message.time.getTime(), last.heardAt);
    // A beat from before this process began may be of one that has ended.
    if (!message || message.seq <= this.#first!) return false;
    const other = Object(jsonOf(message)) as Partial<Heartbeat> & { readonly first?: unknown };
    return other.instance !== instance && typeof other.first === 'number' && other.first < this.#first!;
  }

  /** Others look at once; `leaving` is the worker that goes. */
  #poke(leaving = ''): void {
    const { nats, names } = this.#fleet;
    if (!nats.isClosed()) nats.publish(names.assigned, leaving);
  }
}

/** Reads bare checkpoints. Returns none if something else is stored. */
function checkpointsIn(entry: KvEntry, since: (storedAt: number, age: number) => number): BareCheckpoints {
  const stored = jsonOf(entry);
  if (!plainObject.is(stored)) return {};
  const storedAt = entry.created.getTime();
  return Object.fromEntries(
    Object.entries(stored).flatMap(([id, checkpoint]) => {
      if (!isStoredCheckpoint(checkpoint)) return [];
      const { sequence, index, age } = checkpoint;
      return [[id, { sequence, index, since: since(storedAt, age) }]];
    }),
  );
}

const jsonOf = (stored: Pick<KvEntry, 'json'>) => tryOr(() => stored.json<unknown>(), undefined);

/** A bare checkpoint, and how old it was when it was stored, in ms. */
type StoredCheckpoint = Omit<BareCheckpoint, 'since'> & { readonly age: number };

function isStoredCheckpoint(u: unknown): u is StoredCheckpoint {
  const { sequence, index, age } = Object(u) as Partial<Record<keyof StoredCheckpoint, unknown>>;
  return Number.isSafeInteger(sequence) && cursor.is(index) && Number.isFinite(age);
}
