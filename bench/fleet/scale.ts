// npm run bench:fleet -- --scale: how many workers share how many shards, and what they hear and
// say while nothing happens. All workers are in this process, each with another connection.
// There are no identities: only the shards are shared.
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { asyncScheduler, NEVER, of, Subscription } from 'rxjs';
import { NatsRegistry, NatsTime, openFleetToWork } from '../../src/integrations/fleet/nats/index.js';
import { fleetWorker } from '../../src/integrations/fleet/worker/index.js';

/** The default. */
const LEASE_MS = 10_000;

/** How long to count messages, in ms. */
const WINDOW_MS = 20_000;

/** How long workers may take to share the shards, in ms. */
const PATIENCE_MS = 60_000;

/** What the workers of a run do. */
export interface ScaleFigures {
  /**
   * After how long all shards were held, and held by as many as possible each, in s; since the last
   * worker was started.
   */
  readonly owned: number;
  readonly fair: number;
  /** How many shards were assigned until then, and how many when another worker joined. */
  readonly assigned: number;
  readonly moved: number;
  /** Messages in and out of a worker in a second. */
  readonly heard: number;
  readonly said: number;
}

const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

/** Workers of one fleet in this process. */
class Crowd {
  readonly connections: NatsConnection[] = [];
  readonly running = new Subscription();
  assigned = 0;
  readonly #port: number;
  readonly #shards: number;
  readonly #held: Set<number>[] = [];

  constructor(port: number, shards: number) {
    this.#port = port;
    this.#shards = shards;
  }

  async start(): Promise<void> {
    const shards = this.#shards;
    const nats = await connect({ servers: `127.0.0.1:${this.#port}` });
    this.connections.push(nats);
    const fleet = await openFleetToWork({ nats, shards, lease: LEASE_MS });
    const held = new Set<number>();
    this.#held.push(held);
    const name = `worker-${this.#held.length}`;
    const worker$ = fleetWorker({
      name,
      instance: name,
      shards,
      lease: LEASE_MS,
      capacity: 1,
      registry: new NatsRegistry(fleet, new NatsTime()),
      identities: { known$: of(true), given: () => undefined, of: () => NEVER },
      polls: {
        addresses: [],
        waiting: 0,
        check: () => undefined,
        shareRate: () => undefined,
        watch: () => NEVER,
      },
      drain$: NEVER,
      scheduler: asyncScheduler,
      monotonic: performance,
    });
    const following = worker$.subscribe(event => {
      if (event.kind === 'nats_error') console.log(String(event.error));
      if (event.kind === 'assigned') {
        this.assigned++;
        held.add(event.shard);
      }
      if (event.kind === 'released' || event.kind === 'lost') held.delete(event.shard);
    });
    this.running.add(following);
  }

  get isOwned(): boolean {
    return new Set(this.#held.flatMap(held => [...held])).size === this.#shards;
  }

  get isFair(): boolean {
    const sizes = this.#held.map(({ size }) => size);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    return total === this.#shards && Math.max(...sizes) - Math.min(...sizes) <= 1;
  }

  messages() {
    const sum = (of: 'inMsgs' | 'outMsgs') =>
      this.connections.reduce((total, nats) => total + nats.stats()[of], 0);
    return { heard: sum('inMsgs'), said: sum('outMsgs') };
  }
}

/** Seconds until something is so. */
async function until(isSo: () => boolean, since: number): Promise<number> {
  while (!isSo() && performance.now() - since < PATIENCE_MS) await wait(20);
  return isSo() ? (performance.now() - since) / 1_000 : Infinity;
}

/** Starts workers, all at once or one after another, and counts. */
export async function scale(
  port: number,
  workers: number,
  shards: number,
  apart: number,
): Promise<ScaleFigures> {
  const crowd = new Crowd(port, shards);
  if (apart === 0) await Promise.all(Array.from({ length: workers }, () => crowd.start()));
  else {
    for (let i = 0; i < workers; i++) {
      await crowd.start();
      if (i < workers - 1) await wait(apart);
    }
  }
  const since = performance.now();
  const owned = await until(() => crowd.isOwned, since);
  const fair = await until(() => crowd.isFair, since);
  const { assigned } = crowd;
  const before = crowd.messages();
  await wait(WINDOW_MS);
  const after = crowd.messages();
  await crowd.start();
  await until(() => crowd.isFair, performance.now());
  const figures = {
    owned,
    fair,
    assigned,
    moved: crowd.assigned - assigned,
    heard: (after.heard - before.heard) / workers / (WINDOW_MS / 1_000),
    said: (after.said - before.said) / workers / (WINDOW_MS / 1_000),
  };
  crowd.running.unsubscribe();
  await Promise.all(crowd.connections.map(nats => nats.close()));
  return figures;
}
