import { Subscription } from 'rxjs';
import { BEGIN } from './clocks.js';
import type { Timers } from './timers.js';

/** The first index after a reset. */
const SMALL = 1_000_000;

/** How the service behaves. All times are in ms. */
export interface ServiceConfig {
  /** How long it holds a poll without news. */
  readonly block: number;
  /** How long it waits for more after the first event. */
  readonly collect: number;
  /** How long it keeps events. */
  readonly retention: number;
  /** How far the clock of each machine behind its address is ahead. */
  readonly machines: readonly number[];
  /** Which machine gets a request or an event, from the number of those before. */
  readonly machineOf: (count: number) => number;
  /** When the API gives up a poll that is still held. Default: never. */
  readonly apiTimeout: number;
  /** Whether it answers a poll from an old index with what there still is. */
  readonly keeps: boolean;
  /** Whether it answers a poll from an index above its own at once, instead of holding it. */
  readonly answersAbove: boolean;
}

const DEFAULTS: ServiceConfig = {
  block: 40_000,
  collect: 100,
  retention: 300_000,
  machines: [0],
  machineOf: count => count,
  apiTimeout: Infinity,
  answersAbove: false,
  keeps: false,
};

/** An event, and what happened to it. */
export interface PublishedEvent {
  readonly id: number;
  /** When it was published, in the service's true time. */
  readonly at: number;
  /** Its time on the clock of the machine that took it. */
  readonly stamp: number;
  /**
   * No client can get it: its time is before an index that another machine had given out before.
   */
  isHidden: boolean;
}

/** An answer of the service to a poll. */
export interface ServiceAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of a 200. */
  readonly news?: { readonly index: string; readonly ids: readonly number[]; readonly producedAt: number };
}

/** What the network forwards requests to. */
export type PolledService = Pick<EventService, 'knows' | 'poll'>;

interface HeldPoll {
  /** The service's answer is due when it has collected. */
  collecting: boolean;
  readonly onEvent: () => void;
}

/** The event feed of one identity, as deployed services have it (service-facts). */
export class EventService {
  readonly #world: Timers;
  readonly #config: ServiceConfig;
  readonly events: PublishedEvent[] = [];
  #log: PublishedEvent[] = [];
  readonly #held = new Set<HeldPoll>();
  readonly #issuedAt = new Map<string, number>();
  readonly #lastStamp: number[] = [];
  #epoch = BEGIN;
  #requests = 0;

  constructor(world: Timers, config: Partial<ServiceConfig> = {}) {
    this.#world = world;
    this.#config = { ...DEFAULTS, ...config };
  }

  publish(): void {
    const event: PublishedEvent = {
      id: this.events.length + 1,
      at: this.#world.now(),
      isHidden: false,
      stamp: this.#tick(this.#machine(this.events.length)),
    };
    this.events.push(event);
    this.#log.push(event);
    const machines = this.#config.machines.length;
    if (machines > 1) this.#log.sort((a, b) => a.stamp - b.stamp);
    for (const poll of [...this.#held]) poll.onEvent();
  }

  /** It loses its events, and its indexes begin again from small numbers. */
  reset(): void {
    this.#epoch = SMALL - this.#world.now();
    this.#lastStamp.length = 0;
    this.#log = [];
    this.#issuedAt.clear();
  }

  get retention(): number {
    return this.#config.retention;
  }

  get keeps(): boolean {
    return this.#config.keeps;
  }

  /** Whether it will keep an index for more than 4 s. */
  knows(index: string): boolean {
    return (
      this.#config.machines.length === 1 && Number(index) >= this.#clock(0) - this.#config.retention + 4_000
    );
  }

  /** Answers a poll. `isLatest`: the index is that of the last answer that the client has had. */
  poll(index: string | undefined, isLatest: boolean, respond: (answer: ServiceAnswer) => void): Subscription {
    const machine = this.#machine(this.#requests++);
    const { block, collect, retention, apiTimeout, answersAbove, keeps } = this.#config;
    const polled = new Subscription();
    const end = (answer: ServiceAnswer) => {
      polled.unsubscribe();
      respond(answer);
    };
    const now = this.#clock(machine);
    // It looks at the age of an index when the poll comes. What happens from then on reaches the
    // poll.
    const isOld = index !== undefined && Number(index) < now - retention;
    const isForgotten = index === undefined || (isOld && !keeps);
    const known = isOld ? now - retention : Number(index);
    const from = isForgotten ? undefined : known;
    const answer = () => {
      if (from !== undefined && isLatest) this.#markHidden(index!, from);
      end(this.#answer(machine, from));
    };
    if (from === undefined || (answersAbove && from > now + 1) || this.#hasNews(from)) {
      answer();
      return polled;
    }

    const held: HeldPoll = {
      collecting: false,
      onEvent: () => {
        if (held.collecting || !this.#hasNews(from)) return;
        held.collecting = true;
        polled.add(this.#world.schedule(answer, collect));
      },
    };
    this.#held.add(held);
    polled.add(() => this.#held.delete(held));
    const isTimeout = apiTimeout < block;
    const giveUp = () => {
      if (!held.collecting) end(ownError(500, 'API_REQUEST_TIMEOUT'));
    };
    const idle = () => {
      if (!held.collecting) answer();
    };
    polled.add(this.#world.schedule(isTimeout ? giveUp : idle, Math.min(block, apiTimeout)));
    return polled;
  }

  #answer(machine: number, from: number | undefined): ServiceAnswer {
    const news = from === undefined ? [] : this.#log.filter(({ stamp }) => stamp >= from);
    const next = String((news.at(-1)?.stamp ?? this.#tick(machine)) + 1);
    const producedAt = this.#world.now();
    this.#issuedAt.set(next, producedAt);
    const events = news.map(({ id, stamp }) => ({
      kind: { note: { id } },
      ts: new Date(stamp).toISOString(),
    }));
    return {
      status: 200,
      headers: {},
      text: JSON.stringify({ events, watch: { index: next } }),
      news: { index: next, ids: news.map(({ id }) => id), producedAt },
    };
  }

  /**
   * What came after an index was given out, but has a time before it, will never be sent to a
   * client with that index.
   */
  #markHidden(index: string, from: number): void {
    const issuedAt = this.#issuedAt.get(index) ?? Infinity;
    for (const event of this.#log) {
      if (event.stamp < from && event.at > issuedAt) event.isHidden = true;
    }
  }

  #hasNews(from: number): boolean {
    const last = this.#log.at(-1);
    return last !== undefined && last.stamp >= from;
  }

  #machine(count: number): number {
    const { machines, machineOf } = this.#config;
    return Math.abs(Math.trunc(machineOf(count))) % machines.length;
  }

  #clock(machine: number): number {
    return this.#epoch + this.#world.now() + this.#config.machines[machine]!;
  }

  /** The time on the clock of a machine. No two of its stamps are equal. */
  #tick(machine: number): number {
    const stamp = Math.max(this.#clock(machine), (this.#lastStamp[machine] ?? -Infinity) + 1);
    this.#lastStamp[machine] = stamp;
    return stamp;
  }
}

/** An error of the service's own. */
export function ownError(
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): ServiceAnswer {
  const body = { code, message: code, ray_id: 'ray' };
  return { status, headers: { 'rvt-ray-id': 'ray', ...headers }, text: JSON.stringify(body) };
}
