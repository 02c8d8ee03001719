import type { KvEntry } from '@nats-io/kv';
import type { Msg } from '@nats-io/transport-node';
import { defer, EMPTY, Observable } from 'rxjs';
import { cursor, fieldsOf, plainObject, tryOr } from '../../../error/index.js';
import { FleetError } from '../fleet-error.js';
import type { Heartbeat } from '../fleet-event.js';
import type { FleetRegistry, BareCheckpoint, BareCheckpoints, Presence, Present } from '../worker/index.js';
import { BEATS_PER_LEASE, PATIENCE_LEASES, shardOf } from '../worker/index.js';
import type { NatsTime } from './nats-time.js';
import type { WorkingFleet } from './open-fleet.js';
import { presenceIn, presenceOf, presenceSubject } from './presence-subject.js';
import { isSameStream } from './same-stream.js';

/** The key of the bare checkpoints of a shard, in a fleet with this number of `shards`. */
const checkpointsKey = (shards: number, shard: number) => `checkpoints.${shards}.${shard}`;

/** Once in this many looks, a worker checks whether NATS has lost a stream. */
const LOOKS_UNTIL_ENSURED = PATIENCE_LEASES * BEATS_PER_LEASE;

/**
 * A stored heartbeat of this worker. NATS stored it between `sentAt` and `heardAt`, which are times
 * of the monotonic clock.
 */
interface Beat {
  readonly seq: number;
  readonly sentAt: number;
  readonly heardAt: number;
}

/** Bare checkpoints by shard and identity. */
type FormerCheckpoints = ReadonlyMap<number, ReadonlyMap<string, BareCheckpoint>>;

/** Everything that a worker keeps in NATS besides records. */
export class NatsRegistry implements FleetRegistry {
  readonly changed$: Observable<string | undefined>;
  readonly #fleet: WorkingFleet;
  readonly #time: NatsTime;
  #beats = 0;
  #looks = 0;
  #hasLeft = false;
  /** The position of the first heartbeat of this worker. */
  #first: number | undefined;
  #last: Beat | undefined;
  /** When the stream of live workers was created. */
  #created: string;
  /** How often NATS has lost the list of live workers. */
  #listLosses = 0;
  #former: FormerCheckpoints | undefined;

  constructor(fleet: WorkingFleet, time: NatsTime) {
    const { nats, names } = fleet;
    this.#fleet = fleet;
    this.#time = time;
    this.#created = fleet.aliveSince;
    this.changed$ = new Observable(subscriber => {
      const callback = (error: Error | null, message: Msg) => {
        if (!error) subscriber.next(message.string() || undefined);
      };
      const following = nats.subscribe(names.changed, { callback });
      return () => following.unsubscribe();
    });
  }

  present(beat: Heartbeat, me: Presence): Observable<boolean> {
    return this.#asked(async () => {
      // Once in a lease is often enough for this check.
      const isDue = this.#beats % BEATS_PER_LEASE === 1;
      this.#beats++;
      const hasNamesake = isDue && (await this.#hasNamesake(beat));
      const { publisher, names } = this.#fleet;
      const sentAt = performance.now();
      // The worker may have left while this waited.
      if (this.#hasLeft) return false;
      const data = JSON.stringify({ ...beat, first: this.#first });
      const { seq } = await publisher.publish(names.alive, presenceSubject(names.present, me), data);
      this.#first ??= seq;
      // The sequence went back, so the server was restored from a copy, and has lost the newer
      // heartbeats of others.
      if (this.#last && seq <= this.#last.seq) {
        this.#listLosses++;
        this.#first = seq;
      }
      this.#last = { seq, sentAt, heardAt: performance.now() };
      // The time of NATS has to be known before the worker takes its first shard.
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
      // A direct get from a deleted stream gets no answer, and neither does one from a slow stream.
      // So this checks now and then whether the streams exist.
      const isCheckDue = this.#looks % LOOKS_UNTIL_ENSURED === 0;
      this.#looks++;
      if (isCheckDue) await this.#fleet.ensure();
      const { state, created } = await jsm.streams.info(names.alive, {
        subjects_filter: `${presenceOf(names.present)}>`,
      });
      if (!isSameStream(this.#created, created)) this.#listLosses++;
      this.#created = created;
      const subjects = Object.keys(state.subjects ?? {});
      const workers = subjects.flatMap(subject => presenceIn(names.present, subject));
      return { workers, listLosses: this.#listLosses };
    });
  }

  leave(worker: string): Observable<unknown> {
    this.#hasLeft = true;
    const { jsm, names } = this.#fleet;
    return this.#asked(async () => {
      const purging = jsm.streams.purge(names.alive, { filter: `${presenceOf(names.present, worker)}>` });
      this.#poke(worker);
      await purging;
      // A worker may have looked before the purge was done.
      this.#poke(worker);
    });
  }

  checkpoints(shard: number): Observable<BareCheckpoints> {
    return this.#asked(async () => {
      const stored = await this.#storedCheckpoints(this.#fleet.shards, shard);
      if (this.#fleet.before.length === 0) return stored;
      const newest = new Map(Object.entries(stored));
      const former = await this.#readFormer();
      // The present number of shards may have been in use before the former ones, so the newer
      // checkpoint counts.
      for (const [id, checkpoint] of former.get(shard) ?? []) {
        const known = newest.get(id);
        if (!known || checkpoint.since > known.since) newest.set(id, checkpoint);
      }
      return Object.fromEntries(newest);
    });
  }

  async #storedCheckpoints(shards: number, shard: number): Promise<BareCheckpoints> {
    const entry = await this.#fleet.positions.get(checkpointsKey(shards, shard));
    return entry ? checkpointsIn(entry, (storedAt, age) => this.#time.since(storedAt, age)) : {};
  }

  /**
   * The checkpoints from times with other numbers of shards, by the present shard of each identity.
   */
  async #readFormer(): Promise<FormerCheckpoints> {
    if (this.#former) return this.#former;
    const former = new Map<number, Map<string, BareCheckpoint>>();
    for (const shards of this.#fleet.before) {
      for (let shard = 0; shard < shards; shard++) {
        const stored = await this.#storedCheckpoints(shards, shard);
        for (const [id, checkpoint] of Object.entries(stored)) {
          const presentShard = shardOf(id, this.#fleet.shards);
          const checkpoints = former.get(presentShard) ?? new Map<string, BareCheckpoint>();
          former.set(presentShard, checkpoints.set(id, checkpoint));
        }
      }
    }
    this.#former = former;
    return this.#former;
  }

  storeCheckpoints(shard: number, checkpoints: BareCheckpoints): Observable<unknown> {
    return this.#asked(() => {
      const stored = new Map<string, StoredCheckpoint>();
      for (const [id, { sequence, index, since }] of Object.entries(checkpoints)) {
        stored.set(id, { sequence, index, age: this.#time.age(since) });
      }
      const text = JSON.stringify(Object.fromEntries(stored));
      return this.#fleet.positions.put(checkpointsKey(this.#fleet.shards, shard), text);
    });
  }

  #asked<T>(ask: () => Promise<T>): Observable<T> {
    return defer(() => ask().catch(this.#fleet.restore));
  }

  /** Learns the time of NATS from a heartbeat of this worker. */
  async #learn({ seq, sentAt, heardAt }: Beat): Promise<void> {
    const { jsm, names } = this.#fleet;
    const message = await jsm.streams.getMessage(names.alive, { seq });
    if (!message) throw new FleetError('NATS did not report in time when it stored the heartbeat');
    this.#time.learn(sentAt, message.time.getTime(), heardAt);
  }

  /**
   * Whether the last heartbeat under the name of this worker is from another process, which was
   * there before. If it is from this process, its time is the time of NATS.
   */
  async #hasNamesake({ worker, instance }: Heartbeat): Promise<boolean> {
    const last = this.#last;
    if (!last) return false;
    const { jsm, names } = this.#fleet;
    const query = { last_by_subj: `${presenceOf(names.present, worker)}>` };
    const message = await jsm.streams.getMessage(names.alive, query);
    if (message?.seq === last.seq) this.#time.learn(last.sentAt, message.time.getTime(), last.heardAt);
    // A heartbeat from before this process began may be that of a process that has ended.
    if (!message || message.seq <= this.#first!) return false;
    const { instance: other, first } = fieldsOf(jsonOf(message));
    return other !== instance && typeof first === 'number' && first < this.#first!;
  }

  /**
   * Makes all others look at once. `leaving` is the name of a worker that leaves. Otherwise the
   * message is empty.
   */
  #poke(leaving = ''): void {
    const { nats, names } = this.#fleet;
    if (!nats.isClosed()) nats.publish(names.changed, leaving);
  }
}

/** Reads bare checkpoints. Returns an empty record if something else is stored. */
function checkpointsIn(entry: KvEntry, since: (storedAt: number, age: number) => number): BareCheckpoints {
  const stored = jsonOf(entry);
  if (!plainObject.is(stored)) return {};
  const storedAt = entry.created.getTime();
  const checkpoints = new Map<string, BareCheckpoint>();
  for (const [id, checkpoint] of Object.entries(stored)) {
    if (!isStoredCheckpoint(checkpoint)) continue;
    const { sequence, index, age } = checkpoint;
    checkpoints.set(id, { sequence, index, since: since(storedAt, age) });
  }
  return Object.fromEntries(checkpoints);
}

const jsonOf = (stored: Pick<KvEntry, 'json'>) => tryOr(() => stored.json<unknown>(), undefined);

/** A bare checkpoint with its age when it was stored, in ms. */
type StoredCheckpoint = Omit<BareCheckpoint, 'since'> & { readonly age: number };

function isStoredCheckpoint(u: unknown): u is StoredCheckpoint {
  const { sequence, index, age } = fieldsOf(u);
  return Number.isSafeInteger(sequence) && cursor.is(index) && Number.isFinite(age);
}
