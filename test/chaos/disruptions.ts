import { freeze, wait } from './child.js';
import type { FollowerProcess } from './follower-process.js';
import type { ChaosPlan, FollowerName, TestIdentity } from './messages.js';
import type { ProxyProcesses } from './proxy-process.js';
import type { ServiceProcess } from './service-process.js';
import { starve } from './starve.js';

/** What is disrupted. */
interface Stage {
  readonly plan: ChaosPlan;
  readonly service: ServiceProcess;
  readonly proxies: ProxyProcesses;
  readonly followers: Readonly<Record<FollowerName, FollowerProcess>>;
  readonly identities: readonly TestIdentity[];
  /** Numbers another event of an identity. */
  readonly nextEvent: (identity: TestIdentity) => [identity_id: string, n: number];
  /** Takes what goes on while events are sent. It has to be waited for at the end. */
  readonly inBackground: (act: Promise<unknown>) => void;
}

/** Something that happens once `at` events have been sent. */
export interface Disruption {
  readonly at: number;
  readonly name: string;
  readonly act: () => Promise<unknown>;
}

/**
 * Plans the disruptions of a run. `steady` events are not sent as a part of one. `throws` counts
 * errors that ended the consumer.
 */
export function planDisruptions(stage: Stage): {
  readonly disruptions: readonly Disruption[];
  readonly steady: number;
  readonly throws: () => number;
} {
  const { plan, service, proxies, followers, identities, nextEvent, inBackground } = stage;
  const all = Object.values(followers);
  const bulky = Object.keys(followers).map(name =>
    identities.filter(({ kind, followedBy }) => kind === 'bulk' && followedBy === name),
  );
  const steady = plan.events - plan.bulks * bulky.length * plan.bulk;
  let bulks = 0;
  let throws = 0;
  let starved = 0;
  let outages = Promise.resolve();

  const publishBulk = async () => {
    const nth = bulks++;
    for (const own of bulky) await publishTo(stage, own[nth % own.length]!);
  };
  const throwInSubscriber = async () => {
    if (await hasThrown(stage)) throws++;
  };
  const freezeInTurn = async () => {
    for (const { child } of all) await freeze(child(), plan.timeout / 2);
  };
  const freezePastRetention = async () => {
    const frozen = all.map(({ child }) => freeze(child(), plan.retention + 3_000));
    await service.publish(identities.map(nextEvent));
    await Promise.all(frozen);
  };

  const spread = (count: number, at: number, name: string, act: Disruption['act']) =>
    spreadOver(steady, count, at).map(at => ({ at, name, act }));
  const alongside = (count: number, at: number, name: string, act: Disruption['act']) =>
    spread(count, at, name, () => {
      inBackground(act());
      return Promise.resolve();
    });
  const disruptions = [
    ...spread(plan.kills, 0.3, 'service killed and restarted', service.restart),
    ...spread(plan.consumerKills, 0.6, 'consumer killed and resumed', followers.consumer.kill),
    ...spread(plan.consumerThrows, 0.5, 'subscriber of the consumer threw', throwInSubscriber),
    ...spread(plan.deadPools, 0.8, 'all connections dead', service.killConnections),
    ...spread(plan.bulks, 0.1, `${bulky.length} batches of ${plan.bulk}, repeated`, publishBulk),
    ...spread(3, 0.45, 'service frozen past the timeout', () =>
      freeze(service.child(), plan.timeout + 1_500),
    ),
    ...spread(1, 0.9, 'followers frozen past the retention', freezePastRetention),
    ...alongside(2, 0.65, 'followers frozen in turn', freezeInTurn),
    ...alongside(plan.starvations, 0.35, 'a follower starved of CPU', () =>
      starve(all[starved++ % all.length]!.child().pid!, plan.starvation),
    ),
    ...alongside(plan.outages, 0.25, 'proxies failing past the retention', () => {
      // One after another.
      outages = outages.then(() => proxies.fail(plan.outage));
      return outages;
    }),
  ];
  return { disruptions: disruptions.sort((a, b) => a.at - b.at), steady, throws: () => throws };
}

/** When something happens that happens `count` times, after how many of the steady events. */
function spreadOver(steady: number, count: number, at: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => (0.02 + (0.95 * (i + at)) / count) * steady);
}

/** Throws in the subscriber of the consumer. Whether that has ended it. */
async function hasThrown({ service, followers, identities, nextEvent }: Stage): Promise<boolean> {
  let isOver = false as boolean;
  const thrown = followers.consumer.throwInSubscriber().then(hasEnded => {
    isOver = true;
    return hasEnded;
  });
  // It throws at the next event, which must not come before it knows that.
  while (!isOver) {
    await service.publish(identities.map(nextEvent));
    await Promise.race([thrown, wait(1_000)]);
  }
  return thrown;
}

async function publishTo(
  { plan, service, nextEvent }: Stage,
  identity: Stage['identities'][number],
): Promise<void> {
  const events = Array.from({ length: plan.bulk }, () => nextEvent(identity));
  await service.publish(events, identity.token);
}
