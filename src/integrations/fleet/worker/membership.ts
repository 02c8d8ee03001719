import type { TimestampProvider } from 'rxjs';
import type { Heartbeat } from '../fleet-event.js';
import type { Participant } from './assign-shards.js';

/** A worker has to hear itself without a break for this many leases before it judges others. */
const CALM_LEASES = 1.5;

/**
 * After so many leases without hearing even itself, or without what it is assigned, a worker listens again from the start. That is longer
 * than one that hears well takes to call another silent.
 */
const DEAF_LEASES = 2;

/** Who has not been heard for this many leases is forgotten. */
const FORGOTTEN_LEASES = 20;

/** A worker as it was last heard. */
interface Member {
  readonly beat: Heartbeat;
  /** By the clock of this worker, and by that of what stores heartbeats. */
  readonly at: number;
  readonly storedAt: number;
  /** Whether it was stored since this worker listens. */
  readonly isNew: boolean;
  isSilent: boolean;
}

/** What has changed about a worker. */
export interface MemberChange {
  readonly worker: string;
  readonly state: 'joined' | 'left' | 'silent';
}

/**
 * Which workers are alive: those that have been heard within a lease, measured by a clock of one's own.
 *
 * A worker that was frozen, cut off, or deaf for another reason has heard no other, nor itself. So a worker calls others silent only
 * if it has heard its own heartbeats, which go the same way, without a break for some time.
 */
export class Membership {
  readonly #me: string;
  readonly #lease: number;
  readonly #clock: TimestampProvider;
  readonly #heard = new Map<string, Member>();
  /** Since when this worker has heard itself without a break. */
  #hearingSince: number | undefined;
  #listensSince = -Infinity;
  /** Since when this worker does not hold just what it is assigned. */
  #unsettledSince = Infinity;

  /** `lease` in ms. The clock must never be set back. */
  constructor(me: string, lease: number, clock: TimestampProvider) {
    this.#me = me;
    this.#lease = lease;
    this.#clock = clock;
  }

  /** A worker was heard: `isNew` if not only its last heartbeat from before this worker began to listen. */
  heard({ beat, storedAt }: Pick<Member, 'beat' | 'storedAt'>, isNew: boolean): MemberChange | undefined {
    const { worker } = beat;
    const now = this.#clock.now();
    const before = this.#heard.get(worker);
    if (worker === this.#me && (!before || !this.#isRecent(before.at))) this.#hearingSince = now;
    this.#heard.set(worker, { at: now, storedAt, beat, isNew, isSilent: false });
    return !before || before.isSilent ? { worker, state: 'joined' } : undefined;
  }

  /** A worker has said that it leaves. */
  left(worker: string): MemberChange | undefined {
    const before = this.#heard.get(worker);
    this.#heard.delete(worker);
    return before && !before.isSilent ? { worker, state: 'left' } : undefined;
  }

  /** Calls those silent that have not been heard for a lease, if this worker may judge, or were silent before it began to listen. */
  judge(): readonly MemberChange[] {
    const { mayJudge } = this;
    const changes: MemberChange[] = [];
    for (const [worker, member] of this.#heard) {
      if (member.isSilent || worker === this.#me) continue;
      if (!this.#isStale(member) && !(mayJudge && this.#silenceOf(member) > this.#lease)) continue;
      member.isSilent = true;
      changes.push({ worker, state: 'silent' });
    }
    return changes;
  }

  /** Whether this worker hears enough to judge others. */
  get mayJudge(): boolean {
    const me = this.#heard.get(this.#me);
    if (!me || this.#hearingSince === undefined || !this.#isRecent(me.at)) return false;
    return this.#clock.now() - this.#hearingSince >= CALM_LEASES * this.#lease;
  }

  /** This worker begins to listen. */
  listen(): void {
    this.#listensSince = this.#clock.now();
    this.#unsettledSince = Infinity;
  }

  /** Whether this worker holds just what it is assigned. If it waits for long, it may have missed that a shard was released. */
  settled(isSettled: boolean): void {
    this.#unsettledSince = isSettled ? Infinity : Math.min(this.#unsettledSince, this.#clock.now());
  }

  /** Whether it has heard so little for so long that it should listen again from the start. */
  get isDeaf(): boolean {
    const me = this.#heard.get(this.#me);
    const heardAt = Math.max(me?.at ?? -Infinity, this.#listensSince);
    return this.#clock.now() - Math.min(heardAt, this.#unsettledSince) > DEAF_LEASES * this.#lease;
  }

  /** Those who share the shards. */
  get alive(): readonly Participant[] {
    return [...this.#heard.values()].flatMap(({ beat, isSilent }) => (isSilent ? [] : [beat]));
  }

  /** Whether this worker may take shards from another without its release. */
  mayTakeFrom(worker: string): boolean {
    const member = this.#heard.get(worker);
    return this.mayJudge ? member?.isSilent !== false : member !== undefined && this.#isStale(member);
  }

  /** Those who have been silent for so long that no worker needs to know them any more. */
  forgotten(): readonly string[] {
    const isForgotten = (member: Member) =>
      member.isSilent && this.#silenceOf(member) > FORGOTTEN_LEASES * this.#lease;
    return [...this.#heard].flatMap(([worker, member]) => (isForgotten(member) ? [worker] : []));
  }

  /** Whether a worker was silent for a lease before this one stored its own heartbeat. */
  #isStale({ isNew, storedAt }: Member): boolean {
    const me = this.#heard.get(this.#me);
    return !isNew && me?.isNew === true && me.storedAt - storedAt > this.#lease;
  }

  #isRecent(at: number): boolean {
    return this.#clock.now() - at <= this.#lease / 2;
  }

  #silenceOf({ at }: { readonly at: number }): number {
    return this.#clock.now() - at;
  }
}
