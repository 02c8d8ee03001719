import { BURST } from './ahead-of-pace.js';
import type { ChaosPlan, FollowerFigures, FollowerName, TestIdentity } from './messages.js';
import type { DeliveryResult } from './evaluate.js';

/** The outcome for one identity. */
interface IdentityResult extends DeliveryResult {
  readonly acknowledgedInVain: number;
  /** Requests in all, in the busiest minute, and ahead of the pace. */
  readonly requests: number;
  readonly inAMinute: number;
  readonly ahead: number;
}

interface Result {
  readonly plan: ChaosPlan;
  readonly total: number;
  readonly results: readonly (TestIdentity & IdentityResult)[];
  readonly faults: Readonly<Record<string, number>>;
  /** How many errors of a subscriber have ended the consumer. */
  readonly throws: number;
  readonly ended: Readonly<Record<FollowerName, FollowerFigures & { readonly exit: number | string | null }>>;
  readonly longestSilence: number;
  readonly restarts: number;
  /** How often a feed was left and come back to. */
  readonly visits: number;
  readonly sockets: number;
  readonly disruptions: readonly string[];
}

/**
 * A request may be repeated after a refused token or on a reused connection, and requests that were
 * on their way while a proxy was frozen arrive at once: so many more than its burst may a watch
 * seem to be ahead of its pace.
 */
const UNPACED = 10;

/** Prints the result of a run. Returns whether it passed. */
export function printTable(result: Result): boolean {
  const { plan, total, throws, results, faults, ended, sockets, disruptions } = result;
  type Figure = keyof IdentityResult;
  const sum = (key: Figure, holds: (identity: TestIdentity) => boolean = () => true) =>
    results.filter(holds).reduce((all, one) => all + one[key], 0);
  const faultCount = Object.values(faults).reduce((all, count) => all + count, 0);
  const failed: string[] = [];
  const row = (name: string, value: number | string, holds?: boolean) => {
    if (holds === false) failed.push(name);
    const mark = holds ? '✔' : '✖';
    console.log(
      `  ${name.padEnd(50)} ${String(value).padStart(10)}  ${holds === undefined ? '' : mark}`.trimEnd(),
    );
  };

  console.log(`\nFaults by kind`);
  for (const [kind, count] of Object.entries(faults).sort(([, a], [, b]) => b - a)) row(kind, count);
  console.log(`\nDisruptions`);
  for (const name of new Set(disruptions)) row(name, disruptions.filter(other => other === name).length);

  const visited = results.filter(({ followedBy }) => followedBy !== 'consumer').length;
  console.log(
    `\n${results.length - visited} feeds with checkpoints, ${visited} that are left and come back to; ${plan.seconds} s`,
  );
  const isReplayed = ({ kind }: TestIdentity) => kind === 'replayed' || kind === 'lossy';
  const twice = sum('duplicated', one => !isReplayed(one));
  const most = (key: Figure) => Math.max(...results.map(one => one[key]));
  row('events sent', total, total >= plan.events);
  row('events delivered', sum('delivered'));
  row('faults', faultCount, faultCount >= plan.faults);
  row('lost without a gap', sum('lost'), sum('lost') === 0);
  row('delivered twice without a gap or a resume', twice, twice === 0);
  row('delivered twice, sent again by the service', sum('duplicated', isReplayed));
  row('delivered again after a gap or a resume', sum('redelivered'));
  row('out of order', sum('outOfOrder'), sum('outOfOrder') === 0);
  row('reported in a gap, but delivered later', sum('recovered'));
  const isLossy = ({ kind }: TestIdentity) => kind === 'lossy';
  const lostToAge = sum('lostInGap', one => !isLossy(one));
  row('lost in a gap, older than the retention', lostToAge, lostToAge > 0);
  row('lost in a gap, index missing or refused', sum('lostInGap', isLossy));
  row('gaps reported', sum('gaps'));
  row('errors of a subscriber that ended the consumer', throws, throws === plan.consumerThrows);
  const inVain = sum('acknowledgedInVain');
  row('events acknowledged after such, or undelivered', inVain, inVain === 0);
  row('visits of feeds', result.visits, result.visits >= 10 * visited);
  row('longest silence, ms', result.longestSilence);
  row('watches that ended and were restarted', result.restarts);
  row('requests', sum('requests'));
  row('requests of one watch in a minute, at most', most('inAMinute'));
  row('requests ahead of the pace, at most', most('ahead').toFixed(1), most('ahead') <= BURST + UNPACED);
  for (const [name, { heapAtStart, heapAtEnd, exit }] of Object.entries(ended)) {
    row(`heap of the ${name} at start, MB`, heapAtStart.toFixed(1));
    row(`heap of the ${name} at end, MB`, heapAtEnd.toFixed(1), heapAtEnd - heapAtStart < 20);
    row(`${name} exited by itself`, exit === 0 ? 'yes' : String(exit), exit === 0);
  }
  row('sockets left', sockets, sockets === 0);
  console.log(`\n${failed.length === 0 ? 'passed' : `FAILED: ${failed.join(', ')}`}\n`);
  return failed.length === 0;
}
