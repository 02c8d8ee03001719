import { defer, from, repeat, retry, tap } from 'rxjs';
import { createClient, type ClientConfig } from 'lobby-rx';
import { fromHttp } from 'lobby-rx/node';
import { followByHand, getBatch } from './hand-written.js';
import { compare, interleaved, median, type Rounds } from './measure.js';
import { followOfficially, officialClient, rxPolling } from './peers.js';
import { bounded, type Bound, type Report } from './report.js';
import { startService, type ServiceProcess } from './service-process.js';

const ROUNDS = 7;
/** A feed lives long: what counts is what an event costs once the code has been optimized. */
const WARM_UP = 5;
const EVENTS = 60;
const BATCHES = 150;
const BATCH = 50;

const OVER_HTTP = 'lobby-rx, a feed with fromHttp()';
const BY_HAND = 'a loop by hand on cross-fetch';

/** Follows the events until it is stopped. */
type Follower = (onEvents: (count: number) => void) => () => void;

/** How soon a subscriber has an event after it was published, and how many events a second can be taken. */
export async function benchLatency(report: Report): Promise<void> {
  const service = await startService();
  const { url } = service;
  const official = officialClient(url);
  const polling = rxPolling();

  /** One poll as an Observable, which others repeat. */
  const poll = (onEvents: (count: number) => void) => {
    let index: string | undefined;
    return defer(() => from(getBatch(url, index))).pipe(
      tap(({ events, watch }) => {
        if (events.length > 0) onEvents(events.length);
        index = watch.index;
      }),
    );
  };
  /** A client each: a watch that has had 1,500 polls with news limits its rate. */
  const feedOf =
    (config: Partial<ClientConfig> = {}): Follower =>
    onEvents => {
      const { feed } = createClient({ url, token: 't', linger: 0, ...config }).events;
      const following = feed.all$.subscribe(() => onEvents(1));
      return () => following.unsubscribe();
    };
  const followers: Record<string, Follower> = {
    'lobby-rx, a feed': feedOf(),
    [OVER_HTTP]: feedOf({ transport: fromHttp() }),
    [BY_HAND]: onEvents => {
      const abort = new AbortController();
      followByHand(url, events => onEvents(events.length), abort.signal).catch(() => undefined);
      return () => abort.abort();
    },
    'rxjs by hand: defer, retry, repeat': onEvents => {
      const following = poll(onEvents)
        .pipe(retry({ delay: 1_000 }), repeat())
        .subscribe();
      return () => following.unsubscribe();
    },
    'rx-polling, every millisecond': onEvents => {
      const following = polling(poll(onEvents), 1).subscribe();
      return () => following.unsubscribe();
    },
    'the official client in a loop': onEvents => {
      const abort = new AbortController();
      void followOfficially(
        official,
        events => onEvents(events.length),
        () => abort.signal.aborted,
      );
      return () => abort.abort();
    },
  };
  const bounds = {
    ...Object.fromEntries(Object.keys(followers).map((name): [string, Bound] => [name, [2.6, 1]])),
    [BY_HAND]: [2.6, 1.1] satisfies Bound,
    [OVER_HTTP]: [2, 1.1] satisfies Bound,
    'the official client in a loop': [2, 1] satisfies Bound,
  };

  const all: Record<string, number[]> = {};
  const latency = await interleaved(
    mapped(followers, (follow, name) => async () => {
      const micros = await latencies(service, follow);
      (all[name] ??= []).push(...micros);
      return median(micros);
    }),
    { rounds: ROUNDS, warmUp: WARM_UP },
  );
  report.heading('From the publishing of an event to the subscriber, half of them sooner');
  compareFeeds(report, latency, bounds);
  report.heading('The same, 99 of 100 sooner');
  for (const name of latency.names) report.row(name, percentile(all[name]!, 0.99), 'µs');

  const throughput = await interleaved(
    mapped(followers, follow => () => timePerEvent(service, follow)),
    { rounds: ROUNDS, warmUp: WARM_UP },
  );
  report.heading(`Events in batches of ${BATCH}, as fast as they can be taken: time per event`);
  compareFeeds(report, throughput, {
    ...bounds,
    'rx-polling, every millisecond': 1,
    'the official client in a loop': 1,
  });
  report.row('lobby-rx, events a second', 1_000_000 / throughput.median('lobby-rx, a feed'), '/s');
  service.stop();
}

/** The feed beside all others; what sends with node:http is beside the loop. */
function compareFeeds(report: Report, rounds: Rounds<string>, bounds: Readonly<Record<string, Bound>>): void {
  compare(report, { ...rounds, names: rounds.names.filter(name => name !== OVER_HTTP) }, 'µs', bounds);
  const ratio = rounds.ratio(OVER_HTTP, BY_HAND);
  const figure = { name: `${OVER_HTTP}; × is beside the loop`, value: rounds.median(OVER_HTTP), unit: 'µs' };
  report.add({ ...figure, ratio, ...bounded(bounds[OVER_HTTP]) });
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
  await end(service, stop);
  return publishedAt.map((at, i) => Number(receivedAt[i]! - at) / 1_000);
}

/** The time from the first to the last event of many batches, in µs per event. */
async function timePerEvent(service: ServiceProcess, follow: Follower): Promise<number> {
  let [received, start, last] = [0, 0n, 0n];
  const stop = follow(count => {
    if (received === 0) start = process.hrtime.bigint();
    received += count;
    last = process.hrtime.bigint();
  });
  await service.holds(1);
  await service.publish(BATCHES, BATCH);
  await service.holds(1);
  if (received !== BATCHES * BATCH) throw new Error(`${received} events came`);
  await end(service, stop);
  return Number(last - start) / 1_000 / (received - BATCH);
}

/** Not all followers abort their last poll: it gets an event that nobody takes. */
async function end(service: ServiceProcess, stop: () => void): Promise<void> {
  stop();
  await service.publish(1, 1);
  await service.holds(0);
}

function percentile(list: readonly number[], part: number): number {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length * part)] ?? NaN;
}

function mapped<From, To>(tasks: Readonly<Record<string, From>>, change: (task: From, name: string) => To) {
  return Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, change(task, name)]));
}
