import {
  BY_HAND,
  compareFeeds,
  endFollowing,
  followers,
  OFFICIAL,
  OVER_HTTP,
  type Follower,
} from './followers.js';
import { interleaved, median } from './measure.js';
import type { Bound, Report } from './report.js';
import { startService, type ServiceProcess } from './service-process.js';

const ROUNDS = 9;
/** A feed lives long: what counts is what an event costs once the code has been optimized. */
const WARM_UP = 5;
const EVENTS = 60;

/** How soon a subscriber has an event after it was published. */
export async function benchLatency(report: Report): Promise<void> {
  const service = await startService();
  const all: Record<string, number[]> = {};
  const contenders = Object.entries(followers(service.url)).map(([name, follow]) => {
    const measure = async () => {
      const micros = await latencies(service, follow);
      all[name] ??= [];
      all[name].push(...micros);
      return median(micros);
    };
    return [name, measure] as const;
  });
  const rounds = await interleaved(Object.fromEntries(contenders), { rounds: ROUNDS, warmUp: WARM_UP });
  report.heading('From the publishing of an event to the subscriber, half of them sooner');
  compareFeeds(report, rounds, {
    ...Object.fromEntries(rounds.names.map((name): [string, Bound] => [name, [2.6, 1]])),
    [BY_HAND]: [2.6, 1.1],
    [OVER_HTTP]: [2, 1.1],
    [OFFICIAL]: [2, 1],
  });
  report.heading('The same, 99 of 100 sooner');
  for (const name of rounds.names) report.row(name, percentile(all[name]!, 0.99), 'µs');
  service.stop();
}

/** How long each of several events took to come, one after another, in µs. */
async function latencies(service: ServiceProcess, follow: Follower): Promise<number[]> {
  const receivedAt: bigint[] = [];
  const stop = follow(() => receivedAt.push(process.hrtime.bigint()));
  await service.holds(1);
  const publishedFrom = await service.publish(1, 1);
  for (let i = 2; i <= EVENTS; i++) {
    await service.holds(1);
    await service.publish(1, 1);
  }
  await service.holds(1);
  const publishedAt = await service.publishedAt(publishedFrom);
  await endFollowing(service, stop);
  return publishedAt.map((at, i) => Number(receivedAt[i]! - at) / 1_000);
}

function percentile(list: readonly number[], part: number): number {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length * part)] ?? NaN;
}
