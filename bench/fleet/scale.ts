// npm run bench:fleet -- --scale: what workers hear and say while nothing happens, by how many identities and workers there are. All
// workers are in this process, each with a connection of its own. Identities are simulated: a watch only tells where it is.
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { asyncScheduler, NEVER, Observable, of, type Subscription } from 'rxjs';
import { NatsClock, natsRoster, openFleetToWork } from '../../src/integrations/fleet/nats/index.js';
import { assignShards, shardOf } from '../../src/integrations/fleet/worker/assign-shards.js';
import { fleetWorker, type IdlePlace } from '../../src/integrations/fleet/worker/index.js';

const SHARDS = 1_024;

/** The default. */
const LEASE = 10_000;

/** How long to count, in ms: a worker stores idle places once in it. */
const WINDOW = 72_000;

/** How long workers may take to share the shards, in ms, and how long they may take then for the last moves. */
const BEGINNING = 120_000;
const CALM = 5_000;

/** What a worker hears of the others, and what it stores, in a second. */
export interface ScaleFigures {
  readonly heard: number;
  readonly heardBytes: number;
  readonly storedBytes: number;
}

const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

/** A watch of an identity that has nothing new, ever. Only the index goes on. */
class IdleWatches {
  readonly #watches = new Set<(place: IdlePlace) => void>();
  readonly #timer = setInterval(() => this.#move(), WINDOW / 3);
  #index = 1_700_000_000_000;

  readonly watch = (onIdle: (place: IdlePlace) => void): Observable<never> =>
    new Observable(() => {
      this.#watches.add(onIdle);
      return () => this.#watches.delete(onIdle);
    });

  get size(): number {
    return this.#watches.size;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #move(): void {
    const place = { sequence: 1, index: String(++this.#index), at: Date.now() };
    for (const onIdle of this.#watches) onIdle(place);
  }
}

/** Counts what so many workers hear and store. */
export async function scale(port: number, identities: number, workers: number): Promise<ScaleFigures> {
  const fleet = `scale-${identities}-${workers}`;
  const names = Array.from({ length: workers }, (_, i) => `worker-${i}`);
  const owners = assignShards(
    SHARDS,
    names.map(worker => ({ worker, capacity: 1 })),
  );
  // To each worker only those that it is assigned: it follows no others, and a set of all would be too much for one process.
  const wanted = new Map(names.map(name => [name, new Set<string>()]));
  for (let i = 0; i < identities; i++) {
    const identity_id = `identity-${String(i).padStart(27, '0')}`;
    wanted.get(owners[shardOf(identity_id, SHARDS)]!)!.add(identity_id);
  }
  const idle = new IdleWatches();
  const connections: NatsConnection[] = [];
  const subscriptions: Subscription[] = [];
  for (const name of names) {
    const nats = await connect({ servers: `127.0.0.1:${port}` });
    connections.push(nats);
    const opened = await openFleetToWork({ nats, fleet, shards: SHARDS });
    const worker$ = fleetWorker({
      ...{ name, instance: name, shards: SHARDS, lease: LEASE, capacity: 1 },
      roster: natsRoster(opened, new NatsClock(() => undefined)),
      identities$: of(wanted.get(name)!),
      watch: (_, { onIdle }) => idle.watch(onIdle),
      drain$: NEVER,
      waiting: () => 0,
      ...{ random: Math.random, scheduler: asyncScheduler, monotonic: performance },
    });
    subscriptions.push(worker$.subscribe());
  }
  const deadline = Date.now() + BEGINNING;
  while (idle.size < identities && Date.now() < deadline) await wait(500);
  await wait(CALM);
  if (idle.size !== identities) throw new Error(`${idle.size} of ${identities} identities are followed`);
  const before = totals(connections);
  await wait(WINDOW);
  const after = totals(connections);
  for (const subscription of subscriptions) subscription.unsubscribe();
  idle.stop();
  await Promise.all(connections.map(nats => nats.close()));
  const aSecond = (of: 'inMsgs' | 'inBytes' | 'outBytes') =>
    (after[of] - before[of]) / workers / (WINDOW / 1_000);
  return { heard: aSecond('inMsgs'), heardBytes: aSecond('inBytes'), storedBytes: aSecond('outBytes') };
}

function totals(connections: readonly NatsConnection[]) {
  const all = connections.map(nats => nats.stats());
  const sum = (of: 'inMsgs' | 'inBytes' | 'outBytes') => all.reduce((total, stats) => total + stats[of], 0);
  return { inMsgs: sum('inMsgs'), inBytes: sum('inBytes'), outBytes: sum('outBytes') };
}
