import { Subject } from 'rxjs';
import type { LogEntry } from 'lobby-rx';
import { fakePage } from '../fake-page.js';
import { Clocks } from './world/clocks.js';
import { DeliveryJudge } from './judge/delivery.js';
import { EventService, type PublishedEvent, type ServiceConfig } from './world/event-service.js';
import type { Fault } from './world/fault.js';
import { IndexAge } from './judge/index-age.js';
import { Journal, type JournalEntry } from './world/journal.js';
import { Network } from './world/network.js';
import { RequestPace } from './judge/request-pace.js';
import { subscribe, type SubscriberConfig } from './world/subscriber.js';
import type { Violation } from './judge/violation.js';

/** So many timers in one simulation are a hot loop. */
const TOO_MANY = 8_000;

const SETTLE = 170_000;
const BATCHES: SubscriberConfig = { kind: 'batches' };

/**
 * A simulation: what happens to a service, a client and the path between them. All times are true
 * times in ms.
 */
export interface Scenario {
  /** The seed of everything random in the client. */
  readonly seed: number;
  readonly end: number;
  /** How long before the end an event must have been published to be expected. Default 170 s. */
  readonly settle?: number;
  /** How many gaps there may be at most. Default: any number. */
  readonly maxGaps?: number;
  readonly service?: Partial<ServiceConfig>;
  /** What the client believes of it. Default 300 s. */
  readonly retention?: number;
  /** When events are published. */
  readonly publish: readonly number[];
  readonly faults?: readonly Fault[];
  /** How long the body of an answer takes, from its first byte to its last. */
  readonly bodyTime?: number;
  /** Somebody sets the client's wall clock. */
  readonly steps?: readonly { readonly at: number; readonly by: number }[];
  readonly sleeps?: readonly Sleep[];
  /** When a wake is signalled for no reason. */
  readonly wakes?: readonly number[];
  /** When the browser says that it is offline, and online again, for no reason. */
  readonly offline?: readonly { readonly from: number; readonly to: number }[];
  /** When the service forgets everything. */
  readonly resets?: readonly number[];
  /** Default: `batches` without `ack`. */
  readonly subscriber?: SubscriberConfig;
}

/** The client's machine sleeps. */
export interface Sleep {
  readonly at: number;
  readonly duration: number;
  /** Whether what the service sends meanwhile waits for the client. */
  readonly keepsConnections: boolean;
  /** How long after its end a wake is signalled; undefined if it is not. */
  readonly wakeAfter?: number | undefined;
}

/** What came of it. */
export interface Outcome {
  readonly violations: readonly Violation[];
  readonly entries: readonly JournalEntry[];
  readonly events: readonly PublishedEvent[];
}

/** Runs a simulation, and judges it. */
export function simulate(scenario: Scenario): Outcome {
  const { end, faults = [], sleeps = [], bodyTime, subscriber = BATCHES } = scenario;
  const clocks = new Clocks();
  const { world } = clocks;
  const service = new EventService(world, scenario.service);
  const journal = new Journal(clocks);
  const network = new Network(clocks, service, journal, faults, bodyTime);
  const wake$ = new Subject<void>();
  const end$ = new Subject<void>();

  for (const at of scenario.publish) {
    if (at < end) world.schedule(() => service.publish(), at);
  }
  for (const at of scenario.resets ?? []) world.schedule(() => service.reset(), at);
  for (const { at, by } of scenario.steps ?? []) world.schedule(() => clocks.setWall(by), at);
  for (const { at, duration, keepsConnections, wakeAfter } of sleeps) {
    const onAwake = () => {
      if (wakeAfter !== undefined) clocks.client.schedule(() => wake$.next(), wakeAfter);
    };
    world.schedule(() => {
      clocks.sleep(duration, onAwake);
      if (!keepsConnections) network.breakConnections();
    }, at);
  }
  for (const at of scenario.wakes ?? []) clocks.client.schedule(() => wake$.next(), at);
  const page = scenario.offline?.length ? fakePage() : undefined;
  for (const { from, to } of scenario.offline ?? []) {
    clocks.client.schedule(() => page?.fire('offline'), from);
    clocks.client.schedule(() => page?.fire('online'), to);
  }
  const requests = new OpenRequests();
  const client = subscribe(subscriber, {
    clocks,
    journal,
    wake$,
    end$,
    transport: network.transport,
    log: entry => requests.see(entry),
    random: randomNumbers(scenario.seed),
    retention: scenario.retention,
  });
  clocks.runUntil(end, TOO_MANY);
  const at = clocks.now.true;
  const violations = judge(journal.entries, service.events, scenario);
  const hot = at < end ? [{ what: 'a hot loop', at, detail: `${TOO_MANY} timers` }] : [];
  // Feeds linger.
  end$.next();
  clocks.runUntil(end + 2_000, TOO_MANY);
  client.close();
  page?.remove();
  const { entries } = journal;
  const gap = entries.filter(({ kind }) => kind === 'gap')[scenario.maxGaps ?? Infinity];
  const many = gap
    ? [{ what: 'more gaps than there may be', at: gap.true, detail: `${scenario.maxGaps}` }]
    : [];
  const open = requests.violation(at);
  return { entries, events: service.events, violations: [...hot, ...many, ...open, ...violations] };
}

/** Judges the log of a client: each request has one end, which is not before it. */
class OpenRequests {
  readonly #open = new Set<number>();
  #odd: string | undefined;

  see(entry: LogEntry): void {
    if (!('requestId' in entry)) return;
    const { requestId, kind } = entry;
    if (kind === 'request') this.#open.add(requestId);
    else if (!this.#open.delete(requestId)) this.#odd ??= `${requestId} ended twice`;
    else if (entry.ms < 0) this.#odd ??= `${requestId} took ${entry.ms} ms`;
  }

  violation(at: number): readonly Violation[] {
    const [open] = this.#open;
    const detail = this.#odd ?? (open === undefined ? undefined : `${open} has not ended`);
    return detail === undefined ? [] : [{ what: 'the log does not add up', at, detail }];
  }
}

/** Judges what a client did. */
export function judge(
  entries: readonly JournalEntry[],
  events: readonly PublishedEvent[],
  scenario: Scenario,
): readonly Violation[] {
  const { end, settle = SETTLE, subscriber = BATCHES, sleeps = [], faults = [], service = {} } = scenario;
  const ack = subscriber.kind === 'batches' ? subscriber.ack : undefined;
  const acks = ack !== undefined;
  const queues = subscriber.kind === 'feed';
  const delivery = new DeliveryJudge(events, { acks, mayBeLate: queues || sleeps.length > 0, end, settle });
  const pace = new RequestPace(acks || (subscriber.kind === 'feed' && subscriber.ack));
  // An answer that comes again, because it was not acknowledged, has had its gap. Echoes, and a
  // service that forgets nothing, have gaps of their own.
  const isEndless = service.retention === Infinity || service.keeps === true;
  const hasEchoes = faults.some(({ kind }) => kind === 'cache');
  const isAgeKnown = !ack?.fails && !ack?.crashes && !hasEchoes && !isEndless;
  const age = isAgeKnown ? new IndexAge(queues) : undefined;
  for (const entry of entries) {
    delivery.see(entry);
    pace.see(entry);
    age?.see(entry);
  }
  const judged = [delivery.finish(), pace.violations, age?.violations ?? [], droppedEarly(entries, scenario)];
  return judged.flat().sort((a, b) => a.at - b.at);
}

/**
 * The indexes that were dropped although the service would still have known them 4 s later, where
 * nothing else explains that.
 */
function droppedEarly(entries: readonly JournalEntry[], scenario: Scenario): readonly Violation[] {
  const { subscriber = BATCHES, sleeps = [], steps = [], resets = [] } = scenario;
  const mayDrop = subscriber.kind === 'feed' || (subscriber.kind === 'batches' && subscriber.ack?.crashes);
  if (mayDrop || sleeps.length + steps.length + resets.length > 0) return [];
  return entries
    .filter(entry => entry.kind === 'request' && entry.isEarly)
    .map(entry => ({ what: 'dropped an index that the service knows', at: entry.true, detail: '' }));
}

/** Random numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
