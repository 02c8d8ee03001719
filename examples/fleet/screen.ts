import type { FleetEvent, Heartbeat } from 'lobby-rx/fleet';
import type { Counts } from './messages.js';

/** How many notes are shown. They are the newest. */
const NOTES = 8;
/** Color codes of a terminal, one for each worker. */
const COLORS = [36, 33, 35, 32, 34, 31];
/** How often the picture is drawn, in ms. */
const DRAW_EVERY_MS = 200;
/** How often the figures are printed if the output is no terminal, in ms. */
const SUMMARY_EVERY_MS = 5_000;
/** Shards that a worker gets within this time, in ms, make one note. */
const TOGETHER_MS = 300;

/** The figures that do not change. */
interface Setting {
  readonly shards: number;
  readonly nats: string;
  readonly identities: number;
}

/** Shards that a worker got one after another. */
interface Assigned {
  readonly by: string;
  readonly from: string | undefined;
  readonly count: number;
  readonly at: number;
}

/**
 * Shows which worker owns which shards. In a terminal it draws a picture. Otherwise it prints a
 * line for each event, and the figures now and then.
 */
export class Screen {
  readonly #out: NodeJS.WriteStream;
  readonly #setting: Setting;
  /** The name of the owner of each shard. */
  readonly #owners: (string | undefined)[];
  readonly #beats = new Map<string, Heartbeat>();
  readonly #states = new Map<string, 'joined' | 'left' | 'silent'>();
  readonly #names: string[] = [];
  readonly #notes: string[] = [];
  readonly #drawing: NodeJS.Timeout;
  readonly #summing: NodeJS.Timeout | undefined;
  #assigned: Assigned | undefined;
  #counts: Counts = { stored: 0, distinct: 0, gaps: 0 };
  #published = 0;

  constructor(out: NodeJS.WriteStream, setting: Setting) {
    this.#out = out;
    this.#setting = setting;
    this.#owners = Array.from({ length: setting.shards }, () => undefined);
    if (out.isTTY) out.write('\x1b[2J');
    this.#drawing = setInterval(() => this.#draw(), DRAW_EVERY_MS);
    if (!out.isTTY) this.#summing = setInterval(() => this.note(this.#summary()), SUMMARY_EVERY_MS);
  }

  note(text: string): void {
    this.#noteAssigned();
    const line = `${new Date().toLocaleTimeString('en-GB')}  ${text}`;
    this.#notes.push(line);
    if (!this.#out.isTTY) this.#out.write(`${line}\n`);
  }

  published(count: number): void {
    this.#published = count;
  }

  counts(counts: Counts): void {
    if (this.#counts.stored === 0 && counts.stored > 0)
      this.note('it works: the first events are in the database');
    this.#counts = counts;
  }

  event(by: string, event: FleetEvent): void {
    if (event.kind === 'heartbeat') this.#beats.set(event.heartbeat.worker, event.heartbeat);
    // Each worker reports about all others.
    if (event.kind === 'worker' && this.#states.get(event.worker) !== event.state) {
      this.#states.set(event.worker, event.state);
      const change = event.state === 'silent' ? 'was silent for a lease' : `has ${event.state}`;
      this.note(`${event.worker} ${change}`);
    }
    if (event.kind === 'assigned') {
      const { shard, from } = event;
      this.#owners[shard] = by;
      if (this.#assigned?.by !== by || this.#assigned.from !== from) this.#noteAssigned();
      this.#assigned = { by, from, count: (this.#assigned?.count ?? 0) + 1, at: Date.now() };
    }
    if (event.kind === 'released' || event.kind === 'lost') {
      if (this.#owners[event.shard] === by) this.#owners[event.shard] = undefined;
    }
    if ('error' in event && event.kind !== 'retrying') this.note(`${by}: ${String(event.error)}`);
  }

  end(): void {
    clearInterval(this.#drawing);
    clearInterval(this.#summing);
    this.#noteAssigned();
    this.#draw();
    this.#out.write(`${this.#summary()}\n`);
  }

  #noteAssigned(): void {
    if (!this.#assigned) return;
    const { by, from, count } = this.#assigned;
    this.#assigned = undefined;
    const taken = from === undefined ? '' : `taken from ${from} `;
    this.note(`${by} has ${taken}${count} more shard${count === 1 ? '' : 's'}`);
  }

  #draw(): void {
    if (this.#assigned && Date.now() - this.#assigned.at > TOGETHER_MS) this.#noteAssigned();
    if (!this.#out.isTTY) return;
    const { shards, nats, identities } = this.#setting;
    const rows = [...this.#beats.values()].map(beat => this.#row(beat));
    const owners = this.#owners.map(owner => (owner === undefined ? '·' : this.#paint(owner, owner[0]!)));
    const lines = [
      `\x1b[1mlobby-rx fleet\x1b[0m  ${identities} identities in ${shards} shards, on NATS ${nats}`,
      '',
      `  worker  is      has                       shards  follows    live  events`,
      ...(rows.length > 0 ? rows : ['  starting …']),
      '',
      `  shards  ${owners.join('')}`,
      '',
      ...this.#notes.slice(-NOTES).map(line => `  ${line}`),
      ...Array.from({ length: Math.max(0, NOTES - this.#notes.length) }, () => ''),
      '',
      `  ${this.#summary()}`,
      '',
      '  In another terminal: npm run fleet:kill      Ctrl-C ends.',
    ];
    this.#out.write(`\x1b[H${lines.map(line => `${line}\x1b[K`).join('\n')}\n\x1b[J`);
  }

  #row({ worker, shards, identities, live, events }: Heartbeat): string {
    const state = this.#states.get(worker);
    const name = this.#paint(worker, worker.padEnd(8));
    // The last report of a worker that is gone is out of date.
    if (state !== 'joined') return `  ${name}${state ?? ''}`;
    const filled = '█'.repeat(Math.round((shards / this.#setting.shards) * 24));
    const bar = this.#paint(worker, filled.padEnd(24, '·'));
    const numbers = [shards, identities, live, events].map(number => String(number).padStart(8)).join('');
    return `  ${name}${'alive'.padEnd(8)}${bar}${numbers}`;
  }

  /** Gives each worker its color. */
  #paint(worker: string, text: string): string {
    if (!this.#names.includes(worker)) this.#names.push(worker);
    if (!this.#out.isTTY) return text;
    return `\x1b[${COLORS[this.#names.indexOf(worker) % COLORS.length]}m${text}\x1b[0m`;
  }

  #summary(): string {
    const { stored, distinct, gaps } = this.#counts;
    return `published ${this.#published}, in the database ${stored}, on their way ${this.#published - distinct}, doubled ${stored - distinct}, gaps ${gaps}`;
  }
}
