import { fork, type ChildProcess } from 'node:child_process';
import type { FleetEvent } from 'lobby-rx/fleet';
import { bundled } from '../../bundled.js';
import type { FromWorker, ToWorker } from './messages.js';
import { Relay } from './relay.js';

/** The options of {@link Workers}. */
export interface WorkersConfig {
  readonly nats: readonly number[];
  readonly url: string;
  readonly lease: number;
  readonly shards: number;
  readonly tokenOf: (identity_id: string) => string;
  readonly onEvent: (worker: string, event: FleetEvent) => void;
}

/** The processes of the running workers. */
export class Workers {
  readonly #config: WorkersConfig;
  readonly #running = new Map<string, ChildProcess>();
  /** Each worker reaches each server through a relay of its own. */
  readonly #relays = new Map<string, readonly Relay[]>();
  #identities: readonly string[] = [];
  #started = 0;

  constructor(config: WorkersConfig) {
    this.#config = config;
  }

  get names(): readonly string[] {
    return [...this.#running.keys()];
  }

  /** Starts a worker whose clock is ahead by `skew` ms. */
  async start(skew = 0): Promise<string> {
    const { nats, url, lease, shards, tokenOf, onEvent } = this.#config;
    this.#started++;
    const name = `worker-${this.#started}`;
    const relays = await Promise.all(nats.map(port => Relay.start(port)));
    this.#relays.set(name, relays);
    const child = fork(bundled(new URL('./worker.ts', import.meta.url).pathname), {
      execArgv: skew === 0 ? [] : ['--import', `data:text/javascript,${offBy(skew)}`],
    });
    this.#running.set(name, child);
    child.on('message', (message: FromWorker) => {
      if (message.kind === 'event') onEvent(name, message.event);
      else this.#send(child, { ...message, token: tokenOf(message.identity_id) });
    });
    const identities = this.#identities;
    this.#send(child, {
      kind: 'start',
      name,
      nats: relays.map(({ port }) => port),
      url,
      lease,
      shards,
      identities,
    });
    return name;
  }

  /** The relays of a worker, one to each server. */
  relaysOf(name: string): readonly Relay[] {
    return this.#relays.get(name) ?? [];
  }

  /** The relays of all workers to one of the servers. */
  relaysTo(server: number): readonly Relay[] {
    return [...this.#relays.values()].map(relays => relays[server]!);
  }

  follow(identities: readonly string[]): void {
    this.#identities = identities;
    for (const child of this.#running.values()) this.#send(child, { kind: 'identities', identities });
  }

  signal(name: string, signal: NodeJS.Signals): void {
    this.#running.get(name)?.kill(signal);
    if (signal === 'SIGKILL') this.#running.delete(name);
  }

  /** Sets the clock of a worker ahead by `ahead` ms. */
  setClock(name: string, ahead: number): void {
    this.#send(this.#running.get(name)!, { kind: 'clock', ahead });
  }

  /** The worker no longer reaches the service, or reaches it again. */
  reachService(name: string, isReachable: boolean): void {
    const child = this.#running.get(name);
    if (child) this.#send(child, { kind: 'service', isReachable });
  }

  leave(name: string): void {
    const child = this.#running.get(name);
    if (child) this.#send(child, { kind: 'leave' });
    this.#running.delete(name);
  }

  /** Kills all of them. */
  end(): void {
    for (const name of this.names) this.signal(name, 'SIGKILL');
    for (const relay of [...this.#relays.values()].flat()) relay.close();
  }

  #send(child: ChildProcess, message: ToWorker): void {
    // The process may have ended a moment ago.
    if (child.connected) child.send(message, () => undefined);
  }
}

/** A program that sets the clock of its process. */
function offBy(skew: number): string {
  return encodeURIComponent(`const now = Date.now; Date.now = () => now() + ${skew};`);
}
