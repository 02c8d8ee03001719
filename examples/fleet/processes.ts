import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FleetEvent } from 'lobby-rx/fleet';
import type { Counts, Report, Start } from './messages.js';

/** The file with the list of the example's processes, so that another terminal can kill one. */
const LIST = join(tmpdir(), 'lobby-rx-fleet.json');

/** The ids of the example's processes by their names. `undefined` if the example does not run. */
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
  /** The port for the metrics of a process. `undefined` without metrics. */
  readonly metricsOf: (name: string) => number | undefined;
  readonly onEvent: (worker: string, event: FleetEvent) => void;
  readonly onCounts: (counts: Counts) => void;
  /** Called when a process ended although it was not stopped. */
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
      // It ends with 1 if the consumer starts before the fleet exists.
      if (code === 1) setTimeout(() => this.start(name), 500);
      else onEnd(name);
    });
  }

  /** Ends all processes when the consumer has stored everything, or after 5 s. */
  async stop(published: number): Promise<void> {
    const wait = () => new Promise(resolve => setTimeout(resolve, 100));
    // Processes that end from now on were not killed. A terminal sends its signals to all
    // processes.
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
