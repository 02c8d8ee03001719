import type { Msg } from '@nats-io/transport-node';
import { defer, EMPTY, filter, map, Observable, share } from 'rxjs';
import { fieldsOf, tryOr } from '../../../error/index.js';
import { FleetError } from '../fleet-error.js';
import type { Heartbeat } from '../fleet-event.js';
import type { FleetRegistry, BareCheckpoints, Presence, Present } from '../worker/index.js';
import { BEATS_PER_LEASE, PATIENCE_LEASES } from '../worker/index.js';
import type { NatsTime } from './nats-time.js';
import type { WorkingFleet } from './open-fleet.js';
import { drainOrder, isDrainOrder, presenceIn, presenceOf, presenceSubject } from './presence-subject.js';
import { StoredCheckpoints } from './stored-checkpoints.js';

/** Once in this many looks, a worker checks whether NATS has lost a stream. */
const LOOKS_UNTIL_ENSURED = PATIENCE_LEASES * BEATS_PER_LEASE;

/**
 * A stored heartbeat of this worker. NATS stored it between `sentAt` and `heardAt`, which are times
 * of the monotonic clock.
 */
interface Beat {
  readonly subject: string;
  readonly seq: number;
  readonly sentAt: number;
  readonly heardAt: number;
}

/** Everything that a worker keeps in NATS besides records. */
export class NatsRegistry implements FleetRegistry {
  readonly changed$: Observable<string | undefined>;
  /** What workers and operators announce to all workers. */
  readonly #texts$: Observable<string>;
  readonly #fleet: WorkingFleet;
  readonly #time: NatsTime;
  readonly #checkpoints: StoredCheckpoints;
  #beats = 0;
  #looks = 0;
  #hasLeft = false;
  /** The position of the first heartbeat of this worker. */
  #first: number | undefined;
  #last: Beat | undefined;
  /** How often NATS has lost the list of live workers. */
  #listLosses = 0;

  constructor(fleet: WorkingFleet, time: NatsTime) {
    const { nats, names } = fleet;
    this.#fleet = fleet;
    this.#time = time;
    this.#checkpoints = new StoredCheckpoints(fleet, time);
    const texts$ = new Observable<string>(subscriber => {
      const callback = (error: Error | null, message: Msg) => {
        if (!error) subscriber.next(message.string());
      };
      const following = nats.subscribe(names.changed, { callback });
      return () => following.unsubscribe();
    });
    this.#texts$ = texts$.pipe(share());
    this.changed$ = this.#texts$.pipe(
      filter(text => !isDrainOrder(text)),
      map(text => text || undefined),
    );
  }

  /** Emits when `drainWorker` has told this process to give up everything. */
  drainOrders(instance: string): Observable<unknown> {
    return this.#texts$.pipe(filter(text => text === drainOrder(instance)));
  }

  present(beat: Heartbeat, me: Presence): Observable<boolean> {
    return this.#asked(async () => {
      // Once in a lease is often enough for this check. The second heartbeat is the first that can
      // find a namesake.
      const isDue = this.#beats % BEATS_PER_LEASE === 1;
      this.#beats++;
      const hasNamesake = isDue && (await this.#hasNamesake(beat));
      if (await this.#isLastLost()) this.#loseList();
      const { publisher, names } = this.#fleet;
      const sentAt = performance.now();
      // The worker may have left while this waited.
      if (this.#hasLeft) return false;
      const subject = presenceSubject(names.present, me);
      const data = JSON.stringify({ ...beat, first: this.#first });
      const { seq } = await publisher.publish(names.alive, subject, data);
      this.#first ??= seq;
      const before = this.#last?.subject ?? subject;
      this.#last = { subject, seq, sentAt, heardAt: performance.now() };
      // The others would read either of the two.
      if (before !== subject) await this.#fleet.jsm.streams.purge(names.alive, { filter: before });
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
      const { state } = await jsm.streams.info(names.alive, {
        subjects_filter: `${presenceOf(names.present)}>`,
      });
      const subjects = Object.keys(state.subjects ?? {});
      if (this.#shouldBeThere() && !subjects.includes(this.#last!.subject)) this.#loseList();
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
    return this.#asked(() => this.#checkpoints.read(shard));
  }

  storeCheckpoints(shard: number, checkpoints: BareCheckpoints): Observable<unknown> {
    return this.#asked(() => this.#checkpoints.store(shard, checkpoints));
  }

  #asked<T>(ask: () => Promise<T>): Observable<T> {
    return defer(() => ask().catch(this.#fleet.restore));
  }

  /** Whether the last heartbeat of this worker is so new that NATS still has it. */
  #shouldBeThere(): boolean {
    return this.#last !== undefined && performance.now() - this.#last.sentAt < this.#fleet.lease;
  }

  /**
   * Whether NATS has lost the last heartbeat of this worker early. Then it has lost those of
   * others, too, because its stream was deleted or set back. A later heartbeat is from another
   * process of the same name.
   */
  async #isLastLost(): Promise<boolean> {
    if (!this.#shouldBeThere()) return false;
    const { jsm, names } = this.#fleet;
    const { seq, subject } = this.#last!;
    const message = await jsm.streams.getMessage(names.alive, { last_by_subj: subject });
    return this.#shouldBeThere() && !(message && message.seq >= seq);
  }

  #loseList(): void {
    this.#listLosses++;
    this.#first = undefined;
    this.#last = undefined;
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
    const { instance: other, first } = fieldsOf(tryOr(() => message.json<unknown>(), undefined));
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
