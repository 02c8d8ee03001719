import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { createEmulator, listen } from 'lobby-rx/emulator';
import type { FleetEvent, FleetPosition } from 'lobby-rx/fleet';
import { startNatsServer, versionOf, type NatsServer } from '../nats-server.js';
import { OPERATOR, startCluster, type Cluster } from './cluster.js';
import { Consumer } from './consumer.js';
import { Ledger } from './ledger.js';
import { Relay } from './relay.js';
import { seconds, Takeovers } from './takeovers.js';
import { Workers } from './workers.js';

/** The options of a run. */
export interface ChaosSettings {
  readonly events: number;
  readonly identities: number;
  /** The lease of the workers, in ms. */
  readonly lease: number;
  /** The number of events that are sent in a second. */
  readonly perSecond: number;
  readonly seed: number;
  readonly isCluster: boolean;
  /** How often each disturbance happens. */
  readonly rounds: number;
}

/** Functions that disturb a run, by their names. */
export type Disturbances = Readonly<Record<string, () => Promise<unknown>>>;

/** A large event. An answer with one is larger than a message of the server may be. */
const LARGE = 'x'.repeat(200_000);
const MAX_PAYLOAD_BYTES = 131_072;

/** How long to wait for the last events at most, in ms. */
const LAST_EVENTS_MS = 60_000;

/** How often the consumer is killed in a cluster. */
const CONSUMER_KILLS = 30;

/** How often events are sent, in ms. */
const SEND_EVERY_MS = 50;

export const wait = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

/** Three workers, a NATS server or a cluster of them, a service, and a consumer. */
export class ChaosRun {
  readonly settings: ChaosSettings;
  readonly cluster: Cluster | undefined;
  readonly servers: readonly NatsServer[];
  readonly emulator = createEmulator({ collectTime: 30, blockTime: 5_000, retention: 120_000 });
  readonly tokens = new Map<string, string>();
  readonly ids: readonly string[];
  readonly takeovers = new Takeovers();
  // These are set once the run has started.
  workers!: Workers;
  consumer!: Consumer;
  nats!: NatsConnection;
  /** A connection with all rights in a cluster. */
  operator!: NatsConnection;
  readonly #version: string;
  readonly #ledger = new Ledger();
  /** The consumer reaches each server through a relay. */
  #relays!: readonly Relay[];
  readonly #startedAt = Date.now();
  readonly #random: () => number;
  #lastSentAt = 0;
  #service!: Awaited<ReturnType<typeof listen>>;

  private constructor(
    program: string,
    settings: ChaosSettings,
    servers: readonly NatsServer[],
    cluster: Cluster | undefined,
  ) {
    this.#version = versionOf(program);
    this.settings = settings;
    this.servers = servers;
    this.cluster = cluster;
    this.#random = randomNumbers(settings.seed);
    this.ids = Array.from({ length: settings.identities }, () => {
      const { identity_id, token } = this.emulator.addIdentity();
      this.tokens.set(identity_id, token);
      return identity_id;
    });
  }

  static async start(program: string, settings: ChaosSettings): Promise<ChaosRun> {
    const config = `max_payload: ${MAX_PAYLOAD_BYTES}`;
    const cluster = settings.isCluster ? await startCluster(program, config) : undefined;
    const servers = cluster?.servers ?? [await startNatsServer({ program, config })];
    const run = new ChaosRun(program, settings, servers, cluster);
    await run.#start();
    return run;
  }

  async #start(): Promise<void> {
    this.#service = await listen(this.emulator);
    this.workers = new Workers({
      nats: this.servers.map(({ port }) => port),
      url: this.#service.url,
      lease: this.settings.lease,
      shards: 64,
      tokenOf: identity_id => this.tokens.get(identity_id)!,
      onEvent: (_, event) => this.#heard(event),
    });
    this.workers.follow(this.ids);
    for (let i = 0; i < 3; i++) await this.workers.start();
    for (let i = 0; i < 300 && this.#followed() < this.settings.identities; i++) await wait(100);
    this.log(`${this.#followed()} identities are followed`);
    const anywhere = { servers: this.servers.map(({ port }) => `127.0.0.1:${port}`) };
    this.nats = await this.server.connect(anywhere);
    if (this.cluster) this.operator = await this.server.connect({ ...anywhere, ...OPERATOR });
    this.#relays = await Promise.all(this.servers.map(({ port }) => Relay.start(port)));
    this.consumer = new Consumer(await this.#connectToRead(), this.#ledger, text => this.log(text));
    this.consumer.begin();
  }

  /** The only server, or the first one of a cluster. */
  get server(): NatsServer {
    return this.servers[0]!;
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)]!;
  }

  log(text: string): void {
    const seconds = (Date.now() - this.#startedAt) / 1_000;
    console.log(`${this.#version.padEnd(8)}${seconds.toFixed(1).padStart(6)} s  ${text}`);
  }

  /** The server of a cluster that leads the stream, and another one. */
  async ranks(): Promise<{ readonly leader: NatsServer; readonly follower: NatsServer }> {
    const { streams } = await jetstreamManager(this.nats, { checkAPI: false });
    let leader: string | undefined;
    for (let i = 0; i < 10 && leader === undefined; i++) {
      try {
        leader = (await streams.info('LOBBY_EVENTS')).cluster?.leader;
      } catch {
        await wait(500);
      }
    }
    const isLeader = (server: NatsServer) => `s${this.servers.indexOf(server)}` === leader;
    const followers = this.servers.filter(server => !isLeader(server));
    return { leader: this.servers.find(isLeader) ?? this.server, follower: this.pick(followers) };
  }

  /** The relays of the workers and the consumer to one of the servers. */
  relaysTo(server: NatsServer): readonly Relay[] {
    const i = this.servers.indexOf(server);
    return [this.#relays[i]!, ...this.workers.relaysTo(i)];
  }

  /** NATS has lost the end of its stream. That may cost each identity a gap. */
  setBack(): void {
    this.#ledger.setBack();
  }

  /** Whether NATS still has a batch that the consumer has read. */
  async hasKept({ position, storedAt }: FleetPosition): Promise<boolean> {
    const seq = sequenceOf(position);
    for (let i = 0; i < 20; i++) {
      try {
        const { streams } = await jetstreamManager(this.nats, { checkAPI: false });
        const stored = await streams.getMessage('LOBBY_EVENTS', { seq });
        return stored?.time.getTime() === storedAt;
      } catch {
        // The cluster may still elect a leader.
        await wait(500);
      }
    }
    return false;
  }

  /** Sends more events until something is so, for a minute at most. */
  async sendUntil(isSo: () => boolean | Promise<boolean>): Promise<void> {
    for (let i = 0; i < 600 && !(await isSo()); i++) {
      for (let more = 0; more < 20; more++) this.#publish();
      await wait(100);
    }
  }

  /** Whether the stream has passed a position. */
  async isPast({ position }: FleetPosition): Promise<boolean> {
    return Number(await this.#endOfStream()) > sequenceOf(position);
  }

  /** Sends all events. The disturbances happen one after another. */
  async send(disturbances: Disturbances): Promise<void> {
    const { events, perSecond, rounds } = this.settings;
    const plan = Array.from({ length: rounds }, () => Object.entries(disturbances)).flat();
    const disturbEvery = events / (plan.length + 1);
    const killEvery = this.cluster ? events / (CONSUMER_KILLS + 1) : Infinity;
    let nextDisturbance = disturbEvery;
    let nextKill = killEvery;
    // They happen one after another, because the service keeps events for only two minutes.
    let disturbing = Promise.resolve();
    let sent = 0;
    while (sent < events) {
      const began = Date.now();
      const until = Math.min(events, sent + perSecond / (1_000 / SEND_EVERY_MS));
      for (; sent < until; sent++) this.#publish(sent % 1_000 === 500);
      if (sent >= nextKill) {
        nextKill += killEvery;
        await this.#killConsumer();
      }
      if (sent >= nextDisturbance && plan.length > 0) {
        nextDisturbance += disturbEvery;
        const [name, disturb] = plan.splice(Math.floor(this.#random() * plan.length), 1)[0]!;
        const when = sent;
        disturbing = disturbing.then(() => this.#disturb(name, disturb, when));
        if (plan.length % 4 === 0) await disturbing;
      }
      await wait(Math.max(0, SEND_EVERY_MS - (Date.now() - began)));
    }
    await disturbing;
    this.#lastSentAt = Date.now();
  }

  /**
   * Waits until all events have come, or for a minute. Prints the result, and returns whether all
   * is well.
   */
  async isWell(): Promise<boolean> {
    const ledger = this.#ledger;
    const until = this.#lastSentAt + LAST_EVENTS_MS;
    while (ledger.received < ledger.sent && Date.now() < until) await wait(100);
    const last = Date.now() - this.#lastSentAt;
    // Gives duplicates the time to come.
    await wait(1_000);
    const { wentBack } = ledger;
    const { lost, lostWithGap, doubled, doubledWithGap, outOfOrder, falseGaps } = ledger.faults;
    const rows: readonly (readonly [string, number | string])[] = [
      ['events sent', ledger.sent],
      ['received', ledger.received],
      ['lost', lost],
      ['lost, and a gap says so', lostWithGap],
      ['doubled', doubled],
      ['doubled after a gap or a restart', doubledWithGap],
      ['positions that went back, no gap', wentBack],
      ['out of order', outOfOrder],
      ['gaps', ledger.gaps],
      ['gaps, though NATS lost nothing', falseGaps],
      ['consumers killed', this.consumer.kills],
      ...this.takeovers.rows,
      ['until the last event came', seconds(last)],
      ['the end of the stream', await this.#endOfStream()],
      ['where the consumer is', sequenceOf(this.consumer.last.position)],
    ];
    const isWell = [lost, doubled, wentBack, outOfOrder, falseGaps].every(count => count === 0);
    console.log(`\nNATS ${this.#version}${isWell ? '' : ' FAILED'}`);
    for (const [name, value] of rows) console.log(`  ${name.padEnd(34)} ${value}`);
    return isWell;
  }

  async end(): Promise<void> {
    this.consumer.end();
    this.workers.end();
    await this.#service.close();
    for (const server of this.servers) await server.remove();
    for (const relay of this.#relays) relay.close();
    this.cluster?.close();
  }

  #heard(event: FleetEvent): void {
    this.takeovers.count(event);
    if (event.kind === 'nats_error' && process.env.VERBOSE) this.log(`nats_error: ${String(event.error)}`);
    if (event.kind === 'identity_rejected') this.log(`rejected: ${String(event.error)}`);
  }

  /** Tells a worker that stores nothing from a consumer that reads nothing. */
  async #endOfStream(): Promise<number | string> {
    try {
      const { streams } = await jetstreamManager(this.nats, { checkAPI: false });
      return (await streams.info('LOBBY_EVENTS')).state.last_seq;
    } catch (error) {
      return String(error);
    }
  }

  #followed(): number {
    const polls = this.emulator.requests.filter(({ pending, url }) => pending && url.includes('watch_index'));
    return new Set(polls.map(({ token }) => token)).size;
  }

  #publish(isLarge = false): void {
    const id = this.pick(this.ids);
    const number = this.#ledger.next(id);
    this.emulator.publish(id, { numbered: isLarge ? { number, text: LARGE } : { number } });
  }

  async #killConsumer(): Promise<void> {
    const { follower } = await this.ranks();
    await this.consumer.moveTo(await this.#connectToRead(follower));
  }

  /** Connects through the relays, at first to one of the servers. */
  #connectToRead(first = this.server): Promise<NatsConnection> {
    const i = this.servers.indexOf(first);
    const relays = [...this.#relays.slice(i), ...this.#relays.slice(0, i)];
    return this.server.connect({
      servers: relays.map(({ port }) => `127.0.0.1:${port}`),
      noRandomize: true,
      // Their own addresses would lead past the relays.
      ignoreClusterUpdates: true,
      waitOnFirstConnect: true,
    });
  }

  async #disturb(name: string, disturb: () => Promise<unknown>, sent: number): Promise<void> {
    this.log(`${name} (${sent} events sent, ${this.#ledger.received} received)`);
    await disturb().catch((error: unknown) => {
      this.log(`${name}: ${String(error)}`);
    });
    await wait(this.settings.lease / 2);
  }
}

/** A position is the number of the stream and the place in it, and the stream has only places. */
const sequenceOf = (position: number): number => position % 2 ** 40;

/** Reproducible random numbers from 0 to 1. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}
