import { Subscription } from 'rxjs';
import type { PolledService, PublishedEvent, ServiceAnswer } from './event-service.js';
import type { Timers } from './timers.js';

/** How a service of a log behaves. It forgets nothing. All times are in ms. */
export interface LogConfig {
  /** How long it holds a poll without news. */
  readonly block: number;
  /** How long it waits for more after the first event. */
  readonly collect: number;
  /** Whether its indexes are decimal numbers; if not, they are texts in order. */
  readonly isDecimal: boolean;
  /** Whether the follower knows the order of its indexes. */
  readonly isOrdered: boolean;
  /** Whether each answer has a field that differs every time. */
  readonly isVolatile: boolean;
  /** As many of its last events are kept. An answer says so if others are missing before it. */
  readonly keeps: number;
  /** Whether it answers a poll from beyond its end at once, with the place of its end. */
  readonly saysEnd: boolean;
  /** Whether its answers name the log that their index belongs to. */
  readonly isNamed: boolean;
  /** Whether it gives what it has answered again. If not, its index is always the same. */
  readonly redelivers: boolean;
  /** Whether a poll from beyond the end of the log is answered at once, instead of being held. */
  readonly answersBeyond: boolean;
  /** Whether it answers each poll at once, with its last event, whatever the index. */
  readonly ignoresIndex: boolean;
  /**
   * Which replica answers a request, from the number of those before. Each has a log of its own:
   * another name, other indexes. An event is in all of them, unless they ignore the index.
   */
  readonly replicaOf: (count: number) => number;
  readonly replicas: number;
}

const DEFAULTS: LogConfig = {
  block: 40_000,
  collect: 50,
  isDecimal: true,
  isOrdered: true,
  isVolatile: false,
  keeps: Infinity,
  saysEnd: false,
  isNamed: true,
  redelivers: true,
  answersBeyond: false,
  ignoresIndex: false,
  replicaOf: count => count,
  replicas: 1,
};

/** What an answer says: events that may equal each other, and the index after them. */
export interface LogAnswer {
  readonly log?: string;
  readonly index: string;
  readonly items: readonly string[];
  readonly took?: number;
  readonly isTruncated?: boolean;
  readonly end?: string;
}

/** The header with the ids of the events in an answer: the client sees only what they say. */
export const IDS = 'ids';

/** What is only in the index of a session. */
const SESSION = '7';
/** The indexes of replicas begin so far apart. */
const APART = 1_000_000;

interface HeldPoll {
  readonly from: number;
  readonly replica: number;
  /** Unsubscribed from when the service is done with it. */
  readonly timers: Subscription;
  /** Its client has gone, which the service has not noticed. */
  isAbandoned: boolean;
  isCollecting: boolean;
  readonly answer: () => void;
  readonly respond: (answer: ServiceAnswer) => void;
}

/** A log whose events may equal each other. */
export class LogService implements PolledService {
  readonly events: PublishedEvent[] = [];
  readonly #world: Timers;
  readonly #config: LogConfig;
  readonly #held = new Set<HeldPoll>();
  /** What each replica has. */
  #logs: PublishedEvent[][] = [];
  #generation = 0;
  /** How many events were answered, where they are not given again. */
  #popped = 0;
  #requests = 0;

  constructor(world: Timers, config: Partial<LogConfig> = {}) {
    this.#world = world;
    this.#config = { ...DEFAULTS, ...config };
    this.makeAnew();
  }

  publish(): void {
    const id = this.events.length + 1;
    const event: PublishedEvent = { id, at: this.#world.now(), stamp: id, isHidden: false };
    this.events.push(event);
    for (const [replica, log] of this.#logs.entries()) {
      if (!this.#config.ignoresIndex || id % this.#logs.length === replica) log.push(event);
    }
    for (const poll of [...this.#held]) this.#collect(poll);
  }

  /** It loses its log, and begins another one. */
  makeAnew(): void {
    this.#generation++;
    this.#popped = 0;
    this.#logs = Array.from({ length: this.#config.replicas }, () => []);
  }

  /** It is restored from a copy that lacks its last events. Its proxy ends the polls. */
  restore(lacking: number): void {
    for (const { timers, isAbandoned, respond } of [...this.#held]) {
      timers.unsubscribe();
      if (!isAbandoned) respond({ status: 503, headers: {}, text: '' });
    }
    this.#logs = this.#logs.map(log => log.slice(0, Math.max(0, log.length - lacking)));
  }

  knows(): boolean {
    return false;
  }

  poll(
    index: string | undefined,
    _isLatest: boolean,
    respond: (answer: ServiceAnswer) => void,
  ): Subscription {
    const { replicas, replicaOf, ignoresIndex, redelivers } = this.#config;
    const replica = Math.abs(Math.trunc(replicaOf(this.#requests++))) % replicas;
    const polled = new Subscription();
    // A session has one poll: the next one ends that of a client that has gone.
    if (!redelivers) this.#forgetAbandoned();
    const isNow = index === undefined || ignoresIndex;
    const from = isNow ? this.#logs[replica]!.length : this.#placeOf(index, replica);
    const hasEvents = () => this.#logs[replica]!.length > from;
    const isBeyond = () => this.#logs[replica]!.length < from;
    if (isBeyond() && this.#config.saysEnd) {
      respond(this.#answerWith(replica, from, [], { end: this.#textOf(this.#logs[replica]!.length) }));
      return polled;
    }
    if (isNow || hasEvents() || (isBeyond() && this.#config.answersBeyond)) {
      respond(ignoresIndex ? this.#lastEvent(replica) : this.#answer(replica, from));
      return polled;
    }
    this.#hold(from, replica, polled, respond);
    return polled;
  }

  #hold(from: number, replica: number, polled: Subscription, respond: (answer: ServiceAnswer) => void): void {
    const timers = new Subscription();
    const held: HeldPoll = {
      from,
      replica,
      timers,
      isAbandoned: false,
      isCollecting: false,
      respond,
      answer: () => {
        timers.unsubscribe();
        const answer = this.#answer(replica, from);
        if (!held.isAbandoned) respond(answer);
      },
    };
    this.#held.add(held);
    timers.add(() => this.#held.delete(held));
    timers.add(this.#world.schedule(held.answer, this.#config.block));
    polled.add(() => {
      held.isAbandoned = true;
      // Otherwise, what comes next goes to a client that is no longer there.
      if (this.#config.redelivers) timers.unsubscribe();
    });
  }

  #collect(held: HeldPoll): void {
    if (held.isCollecting || this.#logs[held.replica]!.length <= held.from) return;
    held.isCollecting = true;
    held.timers.add(this.#world.schedule(held.answer, this.#config.collect));
  }

  #forgetAbandoned(): void {
    for (const { isAbandoned, timers } of this.#held) {
      if (isAbandoned) timers.unsubscribe();
    }
  }

  #placeOf(index: string, replica: number): number {
    return this.#config.redelivers ? numberIn(index) - replica * APART : this.#popped;
  }

  #answer(replica: number, from: number): ServiceAnswer {
    const log = this.#logs[replica]!;
    const start = Math.max(from, log.length - this.#config.keeps);
    const events = log.slice(start);
    if (!this.#config.redelivers && events.length > 0) this.#popped = log.length;
    return this.#answerWith(replica, log.length, events, start > from ? { isTruncated: true } : {});
  }

  #lastEvent(replica: number): ServiceAnswer {
    const log = this.#logs[replica]!;
    return this.#answerWith(replica, log.at(-1)?.id ?? 0, log.slice(-1));
  }

  #textOf(number: number): string {
    return this.#config.isDecimal ? String(number) : `at ${String(number).padStart(9, '0')}`;
  }

  #answerWith(
    replica: number,
    next: number,
    events: readonly PublishedEvent[],
    said: Pick<LogAnswer, 'isTruncated' | 'end'> = {},
  ): ServiceAnswer {
    const { isNamed, isVolatile, redelivers, ignoresIndex } = this.#config;
    const index = redelivers ? this.#textOf(ignoresIndex ? next : replica * APART + next) : SESSION;
    const handle = isNamed ? `log ${this.#generation} of ${replica}` : undefined;
    const items = events.map(({ id }) => valueOf(id));
    const answer: LogAnswer = {
      ...(handle !== undefined && { log: handle }),
      ...(isVolatile && { took: this.#requests }),
      ...said,
      index,
      items,
    };
    const ids = events.map(({ id }) => id);
    return {
      status: 200,
      headers: { [IDS]: JSON.stringify(ids) },
      text: JSON.stringify(answer),
      news: { index, ids, producedAt: this.#world.now() },
    };
  }
}

/** What stands in an index. */
export function numberIn(index: string): number {
  return Number(index.replace(/^at /, ''));
}

/** Two of three in a row are equal. */
function valueOf(id: number): string {
  return id % 3 === 0 ? 'off' : 'on';
}
