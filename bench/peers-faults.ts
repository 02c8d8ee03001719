import { FOLLOWS, type Sink, type TokenSource } from './peers-clients.js';
import { WIRES, type Entry, type Peer } from './peers-protocol.js';
import { StandIn, type Fault } from './peers-stand-in.js';
import type { Report } from './report.js';

/** The thirteen faults, in the order of the table. Those of a group are played at the same time. */
const GROUPS: readonly (readonly Fault[])[] = [
  ['reset', '500', '429, seconds', '429, a date'],
  ['404 page', '200 page', '401', 'half a body'],
  ['history is gone', 'counts from 0'],
  // Clients without a pace take all of the processor here.
  ['empty at once'],
  ['stuck cache'],
];
/** It takes longer than all others. */
const SLOW: Fault = 'no answer';

const FAULTS: readonly Fault[] = [
  'reset',
  '500',
  '429, seconds',
  '429, a date',
  '404 page',
  '200 page',
  '401',
  'half a body',
  'empty at once',
  'no answer',
  'history is gone',
  'counts from 0',
  'stuck cache',
];

const COMPARED: readonly Peer[] = ['watch', '@electric-sql/client', '@durable-streams/client'];

/** How long a fault lasts, in ms. */
const FAULT_MS = 3_000;
/** How long a client may take to be back, in ms. */
const PATIENCE_MS = 9_000;
const LONG_PATIENCE_MS = 80_000;
/** Whoever asks more often than this in a second, in a fault, is a burden. */
const MANY = 10;

/** What a client made of a fault. */
interface Outcome {
  /** What never came, and nothing said so. */
  readonly lost: readonly number[];
  /** How many times something came again, and nothing said so. */
  readonly doubled: number;
  /** What said that something may have been missed, or comes again. */
  readonly signs: readonly string[];
  readonly ended: string | undefined;
  /** The most requests in a second, during the fault. */
  readonly peak: number;
  /** How long after the fault the next event came, in s. */
  readonly back: number | undefined;
}

/** What a client has got, in order. */
class Received implements Sink {
  readonly signs: string[] = [];
  readonly all = new Set<number>();
  readonly times = new Map<number, number>();
  doubled = 0;
  endedWith: string | undefined;
  /** What has come since the last sign. */
  readonly #since = new Set<number>();

  entries(entries: readonly Entry[]): void {
    for (const { n } of entries) {
      const number = Number(n);
      if (this.#since.has(number)) this.doubled++;
      this.#since.add(number);
      this.all.add(number);
      if (!this.times.has(number)) this.times.set(number, performance.now());
    }
  }

  sign(what: string): void {
    this.signs.push(what);
    this.#since.clear();
  }

  ended(why: string): void {
    this.endedWith ??= why;
  }
}

/** Plays each fault to each client, and adds a table of what came of it. */
export async function benchFaults(report: Report): Promise<void> {
  // What a client throws where nobody can catch it ends only that client. Their warnings would hide
  // the table.
  const ignore = () => undefined;
  const { warn, error } = console;
  process.on('unhandledRejection', ignore);
  console.warn = ignore;
  console.error = ignore;
  const outcomes = new Map<Fault, readonly Outcome[]>();
  const playAll = async (fault: Fault) => {
    outcomes.set(fault, await Promise.all(COMPARED.map(peer => play(peer, fault))));
  };
  const slow = playAll(SLOW);
  for (const group of GROUPS) await Promise.all(group.map(playAll));
  await slow;
  process.off('unhandledRejection', ignore);
  console.warn = warn;
  console.error = error;
  const rows = FAULTS.flatMap((fault, i) =>
    COMPARED.map((peer, j) => rowOf(`${i + 1} ${fault}`, peer, outcomes.get(fault)![j]!)),
  );
  const header = ['fault', 'client', 'lost', 'doubled', 'signs', 'ended', 'requests/s', 'back after', ''];
  report.table(`${FAULTS.length} faults of ${FAULT_MS / 1_000} s`, [header, ...rows]);
  report.heading('Faults of which something was wrong in the end');
  for (const [i, peer] of COMPARED.entries()) {
    const wrong = FAULTS.filter(fault => !isRight(outcomes.get(fault)![i]!)).length;
    report.row(peer, wrong, 'of 13', peer === 'watch' ? 0 : undefined);
  }
}

/** One client follows a log of its own, whose server has a fault for a time. */
async function play(peer: Peer, fault: Fault): Promise<Outcome> {
  const standIn = new StandIn(WIRES[peer]);
  standIn.append(0, 1, 2, 3, 4);
  const received = new Received();
  const isAnew = fault === 'counts from 0';
  const token = tokenSource(standIn.token);
  const stop = new AbortController();
  FOLLOWS[peer](await standIn.start(), received, token, stop.signal);
  await pause(800);
  standIn.append(5);
  await pause(500);

  const faultAt = performance.now();
  standIn.begin(fault);
  if (isAnew) standIn.append(100, 101, 102);
  else {
    standIn.append(6);
    await pause(50);
    standIn.append(7);
  }
  await pause(FAULT_MS / 2);
  standIn.append(8);
  await pause(FAULT_MS / 2);
  const faultEnd = performance.now();
  const peak = peakOf(standIn.requestTimes.filter(at => at >= faultAt && at < faultEnd));
  standIn.end();
  standIn.append(9);
  await pause(100);
  standIn.append(10);
  const patience = fault === SLOW ? LONG_PATIENCE_MS : PATIENCE_MS;
  while (performance.now() - faultEnd < patience && !received.all.has(10)) await pause(20);
  // What comes again would do so now.
  await pause(400);
  const { endedWith } = received;
  stop.abort();
  standIn.stop();

  const expected = isAnew ? [100, 101, 102, 8, 9, 10] : [5, 6, 7, 8, 9, 10];
  const missing = expected.filter(n => !received.all.has(n));
  const backAt = received.times.get(9) ?? received.times.get(10);
  return {
    lost: received.signs.length > 0 ? [] : missing,
    doubled: received.doubled,
    signs: received.signs,
    ended: endedWith,
    peak,
    back: backAt === undefined ? undefined : Math.max(0, backAt - faultEnd) / 1_000,
  };
}

/** A token that is renewed when a client says that it was rejected. */
function tokenSource(renewed: string): TokenSource {
  let current = 'old';
  return {
    current: () => current,
    renew: () => {
      current = renewed;
    },
  };
}

function isRight({ lost, doubled, ended, peak, back }: Outcome): boolean {
  return lost.length === 0 && doubled === 0 && ended === undefined && peak <= MANY && back !== undefined;
}

function rowOf(fault: string, peer: Peer, outcome: Outcome): readonly string[] {
  const { lost, doubled, signs, ended, peak, back } = outcome;
  return [
    fault,
    peer,
    lost.join(' ') || '0',
    String(doubled),
    [...new Set(signs)].join(' '),
    ended === undefined ? 'no' : `yes: ${ended.slice(0, 40)}`,
    String(peak),
    back === undefined ? 'never' : `${back.toFixed(1)} s`,
    isRight(outcome) ? 'right' : 'wrong',
  ];
}

/** The most of these times within a second. */
function peakOf(times: readonly number[]): number {
  return Math.max(0, ...times.map((from, i) => times.slice(i).filter(at => at < from + 1_000).length));
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}
