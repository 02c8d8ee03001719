import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FleetEvent } from 'lobby-rx/fleet';
import type { Counts, Report, Start } from './messages.js';

/** Where the processes of the example are listed, so that they can be killed. */
const LIST = join(tmpdir(), 'lobby-rx-fleet.json');

/** The ids of the processes of the example, by their names. Undefined if it does not run. */
export function listedProcesses(): Readonly<Record<string, number>> | undefined {
  try {
    return JSON.parse(readFileSync(LIST, 'utf8')) as Record<string, number>;
  } catch {
    return undefined;
  }
}

export function forgetProcesses(): void {
  rmSync(LIST, { force: true });
}

interface ProcessesConfig extends Omit<Start, 'name' | 'metrics'> {
  /** The port for the metrics of a process; undefined if they are not wanted. */
  readonly metricsOf: (name: string) => number | undefined;
  readonly onEvent: (worker: string, event: FleetEvent) => void;
  readonly onCounts: (counts: Counts) => void;
  /** A process has ended by itself. */
  readonly onEnd: (name: string) => void;
}

/** The workers and the consumer. */
export class Processes {
  readonly #config: ProcessesConfig;
  readonly #running = new Map<string, ChildProcess>();
  #stored = 0;
  #isStopping = false;

  constructor(config: ProcessesConfig) {
    this.#config = config;
  }

  start(name: string): void {
    if (this.#isStopping) return;
    const { onEvent, onCounts, onEnd, metricsOf, ...start } = this.#config;
    const program = name === 'consumer' ? 'consumer' : 'worker';
    const child = fork(join(import.meta.dirname, `${program}.ts`), { execArgv: ['--import', 'tsx'] });
    this.#running.set(name, child);
    this.#list();
    child.send({ ...start, name, metrics: metricsOf(name) } satisfies Start);
    child.on('message', (report: Report) => {
      if (report.kind === 'event') return onEvent(name, report.event);
      this.#stored = report.counts.stored;
      onCounts(report.counts);
    });
    child.on('exit', code => {
      this.#running.delete(name);
      this.#list();
      if (this.#isStopping) return;
      // The consumer comes first, and there is no fleet yet.
      if (code === 1) setTimeout(() => this.start(name), 500);
      else onEnd(name);
    });
  }

  /** Ends the workers, and then the consumer, when it has stored everything or could have. */
  async stop(published: number): Promise<void> {
    const wait = () => new Promise(resolve => setTimeout(resolve, 100));
    // What ends from now on was not killed: a terminal sends its signals to all processes.
    this.#isStopping = true;
    const isReading = () => this.#running.has('consumer') && this.#stored < published;
    for (let i = 0; i < 50 && isReading(); i++) await wait();
    for (const child of this.#running.values()) child.kill('SIGTERM');
    for (let i = 0; i < 50 && this.#running.size > 0; i++) await wait();
  }

  #list(): void {
    const ids = [...this.#running].map(([name, { pid }]) => [name, pid]);
    writeFileSync(LIST, JSON.stringify(Object.fromEntries(ids)));
  }
}
