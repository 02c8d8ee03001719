import type { ChaosPlan, FollowerFigures, TestIdentity } from './messages.js';
import type { DeliveryResult } from './evaluate.js';

interface Result {
  readonly plan: ChaosPlan;
  readonly total: number;
  readonly results: readonly (DeliveryResult & TestIdentity & { readonly acknowledgedInVain: number })[];
  readonly faults: Readonly<Record<string, number>>;
  /** How many errors of a subscriber have ended the consumer. */
  readonly throws: number;
  readonly ended: Readonly<
    Record<'consumer' | 'visitor', FollowerFigures & { readonly exit: number | string | null }>
  >;
  readonly longestSilence: number;
  readonly maxRequestsPerMinute: number;
  readonly restarts: number;
  /** How often a feed was left and come back to. */
  readonly visits: number;
  readonly sockets: number;
  readonly disruptions: readonly string[];
}

/** Prints the result of a run. Returns whether it passed. */
export function printTable(result: Result): boolean {
  const { plan, total, throws, results, faults, ended, sockets, disruptions } = result;
  type Figure = keyof DeliveryResult | 'acknowledgedInVain';
  const sum = (key: Figure, holds: (identity: TestIdentity) => boolean = () => true) =>
    results.filter(holds).reduce((all, one) => all + one[key], 0);
  const faultCount = Object.values(faults).reduce((all, count) => all + count, 0);
  const failed: string[] = [];
  const row = (name: string, value: number | string, holds?: boolean) => {
    if (holds === false) failed.push(name);
    console.log(
      `  ${name.padEnd(50)} ${String(value).padStart(10)}${holds === undefined ? '' : holds ? '  ✔' : '  ✖'}`,
    );
  };

  console.log(`\nFaults by kind`);
  for (const [kind, count] of Object.entries(faults).sort(([, a], [, b]) => b - a)) row(kind, count);
  console.log(`\nDisruptions`);
  for (const name of new Set(disruptions)) row(name, disruptions.filter(other => other === name).length);

  const visited = results.filter(({ isVisited }) => isVisited).length;
  console.log(
    `\n${results.length - visited} feeds with checkpoints, ${visited} that are left and come back to; ${plan.seconds} s`,
  );
  row('events sent', total, total >= plan.events);
  row('events delivered', sum('delivered'));
  row('faults', faultCount, faultCount >= plan.faults);
  row('lost without a gap', sum('lost'), sum('lost') === 0);
  row('delivered twice without a resume', sum('duplicated'), sum('duplicated') === 0);
  row('delivered again after a resume (at least once)', sum('redelivered'));
  row('out of order', sum('outOfOrder'), sum('outOfOrder') === 0);
  row('reported in a gap, but delivered later', sum('recovered'));
  const isLossy = ({ kind }: TestIdentity) => kind === 'lossy';
  row(
    'lost in a gap, older than the retention',
    sum('lostInGap', one => !isLossy(one)),
  );
  row('lost in a gap, index missing or refused', sum('lostInGap', isLossy));
  row('gaps reported', sum('gaps'));
  row('errors of a subscriber that ended the consumer', throws, throws === plan.consumerThrows);
  const inVain = sum('acknowledgedInVain');
  row('events acknowledged after such an error', inVain, inVain === 0);
  row('visits of feeds', result.visits, result.visits >= 10 * visited);
  row('longest silence, ms', result.longestSilence);
  row('watches that ended and were restarted', result.restarts);
  row('maximum requests of one watch in a minute', result.maxRequestsPerMinute);
  for (const [name, { heapAtStart, heapAtEnd, exit }] of Object.entries(ended)) {
    row(`heap of the ${name} at start, MB`, heapAtStart.toFixed(1));
    row(`heap of the ${name} at end, MB`, heapAtEnd.toFixed(1), heapAtEnd - heapAtStart < 20);
    row(`${name} exited by itself`, exit === 0 ? 'yes' : String(exit), exit === 0);
  }
  row('sockets left', sockets, sockets === 0);
  console.log(`\n${failed.length === 0 ? 'passed' : `FAILED: ${failed.join(', ')}`}\n`);
  return failed.length === 0;
}
