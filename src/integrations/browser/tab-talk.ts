import { BehaviorSubject, type Observable, type SchedulerLike } from 'rxjs';
import type { WatchSignal } from '../../stream/index.js';
import type { Heartbeat } from './heartbeat.js';
import type { RelayedLog } from './relayed-log.js';
import {
  cloneable,
  revived,
  withStatus,
  type Relayed,
  type TabChannel,
  type TabMessage,
  type TabQuestion,
  type TabReply,
} from './tab-message.js';

/** The memory of a tab from one subscription to the next. */
export interface TabMemory<A> {
  readonly id: string;
  readonly log: RelayedLog<A>;
  readonly heartbeat: Heartbeat;
  /** The number of the newest leader. Each leader has a greater one than those before. */
  epoch: number;
}

/**
 * The lock of a tab that has it, as far as it knows. A settling leader does not poll yet: it may
 * still learn where to poll from.
 */
interface Lead {
  epoch: number;
  isSettling: boolean;
  readonly isHeld: () => Promise<boolean>;
}

/** Exchanges messages between a tab and the others. Knows whether its tab leads. */
export class TabTalk<A> {
  readonly #isAlone$ = new BehaviorSubject(false);
  #lead: Lead | undefined;
  #isClosed = false;

  /** `emit` gets the signals of other tabs. */
  constructor(
    readonly memory: TabMemory<A>,
    readonly channel: TabChannel,
    readonly scheduler: SchedulerLike,
    readonly emit: (signal: WatchSignal<A>) => void,
  ) {
    channel.onmessage = ({ data }) => this.#onMessage(data as TabMessage<A>).forEach(emit);
  }

  /** Whether this tab polls for itself, since it has no locks, or cannot send to the others. */
  get isAlone$(): Observable<boolean> {
    return this.#isAlone$;
  }

  get isAlone(): boolean {
    return this.#isAlone$.value;
  }

  beAlone(): void {
    this.#isAlone$.next(true);
  }

  /** Whether this tab has the lock, as far as it knows. */
  get hasLead(): boolean {
    return this.#lead !== undefined;
  }

  /** This tab has got the lock. It asks the others where to poll from. */
  beginLead(isHeld: () => Promise<boolean>): void {
    this.memory.heartbeat.settleDoubt();
    // A tab that has just come does not know how many leaders there have been.
    this.#claim(Math.max(this.memory.epoch + 1, this.scheduler.now()));
    this.#lead = { epoch: this.memory.epoch, isSettling: true, isHeld };
  }

  /** This tab begins to poll. An answer that comes later does not change where it polls from. */
  settleLead(): void {
    if (this.#lead) this.#lead.isSettling = false;
  }

  endLead(): void {
    this.#lead = undefined;
  }

  /** Sends nothing from now on. */
  close(): void {
    this.#isClosed = true;
    this.channel.close();
  }

  post(message: TabMessage<A>): void {
    if (this.#isClosed || this.isAlone) return;
    try {
      this.channel.postMessage(message);
    } catch {
      this.beAlone();
    }
  }

  ask(kind: 'hello' | 'claim'): void {
    const { id, epoch, log } = this.memory;
    this.post({ kind, by: id, epoch, position: log.position });
  }

  /** Tells the others that the leader is there. */
  beat(): void {
    if (this.#lead) this.post({ kind: 'beat', epoch: this.#lead.epoch, index: this.memory.log.index });
  }

  #reply({ by, position }: TabQuestion): void {
    const { epoch, log } = this.memory;
    this.post({
      kind: 'reply',
      to: by,
      epoch,
      since: position?.index,
      position: log.position,
      status: cloneable(log.status),
      missed: log.signalsSince(position),
    });
  }

  #claim(epoch: number): void {
    this.memory.epoch = epoch;
    this.ask('claim');
  }

  /** Whether it certainly leads. It knows of no newer leader, and cannot have missed one. */
  isSure(): boolean {
    return this.#lead?.epoch === this.memory.epoch && !this.memory.heartbeat.hasStoodStill();
  }

  /**
   * Whether it leads. The tab that has the lock does, although another tab may have a greater
   * number because its clock was ahead.
   */
  async leads(): Promise<boolean> {
    const asking = this.#lead;
    if (!asking || this.isSure()) return asking !== undefined;
    if (!(await asking.isHeld()) || this.#lead !== asking) return false;
    this.memory.heartbeat.settleDoubt();
    if (asking.epoch < this.memory.epoch) this.#claim(this.memory.epoch + 1);
    asking.epoch = this.memory.epoch;
    return true;
  }

  /** The signals that follow from a message. */
  #onMessage(message: TabMessage<A>): readonly WatchSignal<A>[] {
    const { id, log, heartbeat } = this.memory;
    const lead = this.#lead;
    const isOlder = message.epoch < this.memory.epoch;
    this.memory.epoch = Math.max(this.memory.epoch, message.epoch);
    if (lead && message.kind !== 'reply') {
      // Its number may be that of a newer leader.
      void this.leads().then(isLeading => {
        if (isLeading && message.kind === 'hello') this.#reply(message);
      });
      return [];
    }
    const isFollowing = !lead && !isOlder;
    if (isFollowing && message.kind !== 'hello') heartbeat.hear();
    switch (message.kind) {
      case 'hello':
        return [];
      case 'claim':
        if (isOlder || log.knowsMoreThan(message.position)) this.#reply(message);
        return [];
      case 'reply':
        if (message.to !== id) return [];
        if (lead?.isSettling && !log.isState) return log.take(message.missed ?? [], message.position);
        return isFollowing ? this.#onReply(message) : [];
      case 'signal':
        if (!isFollowing) return [];
        if (log.place(message.relayed) === 'later') this.ask('hello');
        return log.take([withStatus(message.relayed, revived)]);
      case 'beat':
        // This tab has missed the signals before it.
        if (isFollowing && message.index !== log.index) this.ask('hello');
        return [];
    }
  }

  #onReply({ since, position, status, missed }: TabReply<A>): readonly WatchSignal<A>[] {
    const { log } = this.memory;
    const { index } = log;
    const current: Relayed<A> = { since, signal: { kind: 'status', status: revived(status) } };
    // This tab has received more since it asked.
    if (since !== index) return log.take([current]);
    if (missed) return log.take([current, ...missed], position);
    // A leader that has no answer yet knows less than this tab. Its first answer comes after a gap,
    // unless this tab leads before that.
    if (!position) return log.take([current]);
    const gap = { reason: 'unwatched', at: this.scheduler.now(), index } as const;
    return [...log.take([current]), { kind: 'gap', gap }, ...log.skipTo(position)];
  }
}
