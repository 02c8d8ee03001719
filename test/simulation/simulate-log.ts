import { Subject } from 'rxjs';
import { DeliveryJudge } from './judge/delivery.js';
import { GapReason } from './judge/gap-reason.js';
import { RequestPace } from './judge/request-pace.js';
import type { Violation } from './judge/violation.js';
import { randomNumbers, type Outcome, type Sleep } from './simulate.js';
import type { PublishedEvent } from './world/event-service.js';
import { Clocks } from './world/clocks.js';
import type { Fault } from './world/fault.js';
import { Journal, type JournalEntry } from './world/journal.js';
import { followLog } from './world/log-follower.js';
import { LogService, type LogConfig } from './world/log-service.js';
import { Network } from './world/network.js';

/** So many timers in one simulation are a hot loop. */
const TOO_MANY = 8_000;

/** A simulation of a log of another service. All times are true times in ms. */
export interface LogScenario {
  /** The seed of everything random in the client. */
  readonly seed: number;
  readonly end: number;
  /** How long before the end an event must have been published to be expected. */
  readonly settle: number;
  readonly service?: Partial<LogConfig>;
  /** How long the service keeps events, as the client believes. Default: for ever. */
  readonly retention?: number;
  readonly publish: readonly number[];
  readonly faults?: readonly Fault[];
  readonly bodyTime?: number;
  readonly sleeps?: readonly Sleep[];
  /** When a wake is signalled for no reason. */
  readonly wakes?: readonly number[];
  /** When the log is made anew. */
  readonly anew?: readonly number[];
  /** When it is restored from a copy that lacks its last events, as many as that. */
  readonly restores?: readonly { readonly at: number; readonly lacking: number }[];
}

/** Runs a simulation of a log, and judges what was lost or doubled, the gaps, and the pace. */
export function simulateLog(scenario: LogScenario): Outcome {
  const { end, faults = [], sleeps = [], wakes = [], anew = [] } = scenario;
  const clocks = new Clocks();
  const { world, client } = clocks;
  const service = new LogService(world, scenario.service);
  const journal = new Journal(clocks);
  const network = new Network(clocks, service, journal, faults, scenario.bodyTime);
  const wake$ = new Subject<void>();
  const end$ = new Subject<void>();
  for (const at of scenario.publish) world.schedule(() => service.publish(), at);
  for (const at of anew) world.schedule(() => service.makeAnew(), at);
  for (const { at, lacking } of scenario.restores ?? []) {
    world.schedule(() => service.restore(lacking), at);
  }
  for (const at of wakes) client.schedule(() => wake$.next(), at);
  for (const sleep of sleeps) {
    const { at, duration, keepsConnections, wakeAfter } = sleep;
    const onAwake = () => {
      if (wakeAfter !== undefined) client.schedule(() => wake$.next(), wakeAfter);
    };
    world.schedule(() => {
      clocks.sleep(duration, onAwake);
      if (!keepsConnections) network.breakConnections();
    }, at);
  }
  const { redelivers = true, isDecimal = true, isOrdered = true } = scenario.service ?? {};
  const { retention } = scenario;
  const isOlder = (index: string, than: string) => index < than;
  const follower = followLog(
    {
      read: ({ items, log, isTruncated, end }) => ({
        isEmpty: items.length === 0,
        handle: log,
        hasGap: isTruncated,
        end,
      }),
      redelivers,
      ...(!isDecimal && isOrdered && { isOlder }),
      ...(retention !== undefined && { retention }),
    },
    {
      clocks,
      journal,
      wake$,
      end$,
      transport: network.transport,
      log: () => {},
      random: randomNumbers(scenario.seed),
      retention,
    },
  );
  clocks.runUntil(end, TOO_MANY);
  const at = clocks.now.true;
  follower.close();

  const judged = judgeLog(journal.entries, service.events, scenario);
  const hot: Violation[] = at < end ? [{ what: 'a hot loop', at, detail: `${TOO_MANY} timers` }] : [];
  const violations = [...hot, ...judged].sort((a, b) => a.at - b.at);
  return { entries: journal.entries, events: service.events, violations };
}

function judgeLog(
  entries: readonly JournalEntry[],
  events: readonly PublishedEvent[],
  { sleeps = [], service, end, settle }: LogScenario,
): readonly Violation[] {
  const delivery = new DeliveryJudge(events, { acks: false, mayBeLate: sleeps.length > 0, end, settle });
  const reasons = new GapReason(service?.redelivers ?? true);
  const pace = new RequestPace(false);
  for (const entry of entries) {
    delivery.see(entry);
    reasons.see(entry);
    pace.see(entry);
  }
  return [delivery.finish(), reasons.violations, pace.violations].flat();
}
