import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { replyOf, startService, type ServiceProcess } from './service-process.js';

/**
 * What a watcher opens: loops by hand, on cross-fetch or on `http.get`, watches of one client, of
 * one over node:http, a client for each, which may share a transport, or official ones.
 */
export type WatchKind =
  'byHand' | 'byHttp' | 'batches' | 'overHttp' | 'clients' | 'clientsOfTheirOwn' | 'official';

/** What a watcher has to do. It always replies with its figures. */
export type WatcherCommand = { readonly open: number } | { readonly memory: true } | { readonly cpu: true };

/**
 * CPU time in µs so far, events received, and after `memory` the heap and the resident set, in MB.
 */
export interface WatcherReply {
  readonly cpu: number;
  readonly received: number;
  readonly heap: number;
  readonly rss: number;
}

/**
 * What one watch costs: heap and resident memory in KB, CPU in µs to start, of an event, and of a
 * second without events.
 */
export interface WatchCost {
  readonly heap: number;
  readonly rss: number;
  readonly start: number;
  readonly event: number;
  /** Only if it was asked for: it takes as long as it waits. */
  readonly idle: number;
}

/**
 * The connections are opened in groups: a thousand at once would overflow the queue of the
 * listening socket.
 */
const GROUP = 250;
/**
 * So many are opened, and get events, before anything is measured: code is compiled and buffers
 * grow.
 */
const WARM_UP = 100;
const WARM_UP_EVENTS = 5;
const EVENTS = 3;
const IDLE = 1_500;

/** Throws if so many watches cannot be open at once. */
export function checkOpenFiles(count: number): void {
  const files = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim();
  if (Number(files) < count + WARM_UP + 100) {
    throw new Error(`${count} watches need as many open files, and only ${files} are allowed: see ulimit -n`);
  }
}

/**
 * Opens so many watches of a kind in a fresh process, beside a fresh service, and sends each of
 * them a few events.
 */
export async function watchCost(kind: WatchKind, count: number, withIdle: boolean): Promise<WatchCost> {
  const service = await startService();
  try {
    return await measure(service, kind, count, withIdle);
  } finally {
    service.stop();
  }
}

async function measure(
  service: ServiceProcess,
  kind: WatchKind,
  count: number,
  withIdle: boolean,
): Promise<WatchCost> {
  const child = fork(join(import.meta.dirname, 'watcher.mjs'), [kind, service.url], {
    execArgv: ['--expose-gc'],
  });
  const tell = async (command: WatcherCommand) => (await replyOf(child, command)) as WatcherReply;
  const cpu = async () => (await tell({ cpu: true })).cpu;
  let [opened, events] = [0, 0];
  const open = async (to: number) => {
    while (opened < to) {
      const group = Math.min(GROUP, to - opened);
      opened += group;
      await tell({ open: group });
      await service.holds(opened);
    }
  };
  const publish = async () => {
    await service.publish(1, 1);
    events += opened;
    // The service may hold none of them before it has answered all, and holds them all when each
    // has polled again.
    while ((await tell({ cpu: true })).received < events) await pause(5);
    await service.holds(opened);
  };

  await open(WARM_UP);
  for (let i = 0; i < WARM_UP_EVENTS; i++) await publish();
  const before = await tell({ memory: true });
  const atStart = await cpu();
  await open(WARM_UP + count);
  const started = await cpu();
  const after = await tell({ memory: true });
  const idleFrom = await cpu();
  if (withIdle) await pause(IDLE);
  const idleTo = await cpu();
  for (let i = 0; i < EVENTS; i++) await publish();
  const afterEvents = await cpu();
  child.disconnect();
  await once(child, 'exit');
  return {
    heap: ((after.heap - before.heap) * 1024) / count,
    rss: ((after.rss - before.rss) * 1024) / count,
    start: (started - atStart) / count,
    event: (afterEvents - idleTo) / EVENTS / opened,
    idle: withIdle ? (idleTo - idleFrom) / (IDLE / 1_000) / count : NaN,
  };
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}
