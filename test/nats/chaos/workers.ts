import { fork, type ChildProcess } from 'node:child_process';
import type { FleetEvent } from 'lobby-rx/fleet';
import { bundled } from '../../bundled.js';
import type { FromWorker, ToWorker } from './messages.js';

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
  #identities: readonly string[] = [];
  #started = 0;

  constructor(config: WorkersConfig) {
    this.#config = config;
  }

  get names(): readonly string[] {
    return [...this.#running.keys()];
  }

  /** Starts a worker whose clock is ahead by `skew` ms. */
  start(skew = 0): string {
    const { nats, url, lease, shards, tokenOf, onEvent } = this.#config;
    this.#started++;
    const name = `worker-${this.#started}`;
    const child = fork(bundled(new URL('./worker.ts', import.meta.url).pathname), {
      execArgv: skew === 0 ? [] : ['--import', `data:text/javascript,${offBy(skew)}`],
    });
    this.#running.set(name, child);
    child.on('message', (message: FromWorker) => {
      if (message.kind === 'event') onEvent(name, message.event);
      else this.#send(child, { ...message, token: tokenOf(message.identity_id) });
    });
    this.#send(child, { kind: 'start', name, nats, url, lease, shards, identities: this.#identities });
    return name;
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

  #send(child: ChildProcess, message: ToWorker): void {
    // The process may have ended a moment ago.
    if (child.connected) child.send(message, () => undefined);
  }
}

/** A program that sets the clock of its process. */
function offBy(skew: number): string {
  return encodeURIComponent(`const now = Date.now; Date.now = () => now() + ${skew};`);
}
