import type { FleetEvent, Heartbeat } from 'lobby-rx/fleet';
import type { Counts } from './messages.js';

/** How many of the last notes are shown. */
const NOTES = 8;
const COLORS = [36, 33, 35, 32, 34, 31];

/** What does not change. */
interface Setting {
  readonly shards: number;
  readonly nats: string;
  readonly identities: number;
}

/** How often the figures are printed where there is no terminal, in ms. */
const SUMMARY_EVERY = 5_000;

/**
 * Shows who holds what: a picture in a terminal, otherwise a line for everything that happens, and
 * the figures now and then.
 */
export function createScreen(out: NodeJS.WriteStream, { shards, nats, identities }: Setting) {
  const owners: (string | undefined)[] = Array.from({ length: shards }, () => undefined);
  const beats = new Map<string, Heartbeat>();
  const states = new Map<string, 'joined' | 'left' | 'silent'>();
  const notes: string[] = [];
  /** Shards that a worker got in a row, to be shown at once. */
  let got = { by: '', from: undefined as string | undefined, count: 0, at: 0 };
  let counts: Counts = { stored: 0, distinct: 0, gaps: 0 };
  let published = 0;
  const names: string[] = [];
  const paint = (name: string, text: string) => {
    if (!names.includes(name)) names.push(name);
    return out.isTTY ? `\x1b[${COLORS[names.indexOf(name) % COLORS.length]}m${text}\x1b[0m` : text;
  };

  const note = (text: string) => {
    tellGot();
    notes.push(`${new Date().toLocaleTimeString('en-GB')}  ${text}`);
    if (!out.isTTY) out.write(`${notes.at(-1)}\n`);
  };
  const tellGot = () => {
    const { by, from, count } = got;
    got = { by: '', from: undefined, count: 0, at: 0 };
    if (count > 0)
      note(
        `${by} has ${from === undefined ? '' : `taken from ${from} `}${count} more shard${count === 1 ? '' : 's'}`,
      );
  };
  const draw = () => {
    if (Date.now() - got.at > 300) tellGot();
    if (!out.isTTY) return;
    const rows = [...beats.values()].map(({ worker, shards: held, identities, live, events }) => {
      const known = states.get(worker);
      // What a worker that is gone has reported is out of date.
      if (known !== 'joined') return `  ${paint(worker, worker.padEnd(8))}${known ?? ''}`;
      const bar = '█'.repeat(Math.round((held / shards) * 24)).padEnd(24, '·');
      const numbers = [held, identities, live, events].map(number => String(number).padStart(8)).join('');
      return `  ${paint(worker, worker.padEnd(8))}${'alive'.padEnd(8)}${paint(worker, bar)}${numbers}`;
    });
    const map = owners.map(owner => (owner === undefined ? '·' : paint(owner, owner[0]!))).join('');
    const lines = [
      `\x1b[1mlobby-rx fleet\x1b[0m  ${identities} identities in ${shards} shards, on NATS ${nats}`,
      '',
      `  worker  is      has                       shards  follows    live  events`,
      ...(rows.length > 0 ? rows : ['  starting …']),
      '',
      `  shards  ${map}`,
      '',
      ...notes.slice(-NOTES).map(line => `  ${line}`),
      ...Array.from({ length: Math.max(0, NOTES - notes.length) }, () => ''),
      '',
      `  ${summary()}`,
      '',
      '  In another terminal: npm run fleet:kill      Ctrl-C ends.',
    ];
    out.write(`\x1b[H${lines.map(line => `${line}\x1b[K`).join('\n')}\n\x1b[J`);
  };
  const summary = () => {
    const { stored, distinct, gaps } = counts;
    return `published ${published}, in the database ${stored}, on their way ${published - distinct}, doubled ${stored - distinct}, gaps ${gaps}`;
  };

  if (out.isTTY) out.write('\x1b[2J');
  const drawing = setInterval(draw, 200);
  const summing = out.isTTY ? undefined : setInterval(() => note(summary()), SUMMARY_EVERY);
  return {
    note,
    published: (count: number) => {
      published = count;
    },
    counts: (next: Counts) => {
      if (counts.stored === 0 && next.stored > 0) note('it works: the first events are in the database');
      counts = next;
    },
    event: (by: string, event: FleetEvent) => {
      if (event.kind === 'heartbeat') beats.set(event.heartbeat.worker, event.heartbeat);
      // Each worker tells about all others.
      if (event.kind === 'worker' && states.get(event.worker) !== event.state) {
        states.set(event.worker, event.state);
        note(`${event.worker} ${event.state === 'silent' ? 'was silent for a lease' : `has ${event.state}`}`);
      }
      if (event.kind === 'assigned') {
        owners[event.shard] = by;
        if (got.by !== by || got.from !== event.from) tellGot();
        got = { by, from: event.from, count: got.count + 1, at: Date.now() };
      }
      if (event.kind === 'released' || event.kind === 'lost') {
        if (owners[event.shard] === by) owners[event.shard] = undefined;
      }
      if (event.kind === 'nats_error' || event.kind === 'identity_rejected')
        note(`${by}: ${String(event.error)}`);
    },
    end: () => {
      clearInterval(drawing);
      clearInterval(summing);
      tellGot();
      draw();
      out.write(`${summary()}\n`);
    },
  };
}
