import type { ChaosPlan, ConsumerFigures } from './messages.js';
import type { DeliveryResult } from './evaluate.js';

interface Result {
  readonly plan: ChaosPlan;
  readonly total: number;
  readonly results: readonly (DeliveryResult & { readonly isLossless: boolean })[];
  readonly faults: Readonly<Record<string, number>>;
  readonly figures: ConsumerFigures;
  readonly longestSilence: number;
  readonly maxRequestsPerMinute: number;
  readonly restarts: number;
  readonly sockets: number;
  readonly exit: number | null | 'still running';
  readonly disruptions: readonly string[];
}

/** Prints the result of a run. Returns whether it passed. */
export function printTable(result: Result): boolean {
  const { plan, total, results, faults, figures, sockets, exit, disruptions } = result;
  const sum = (key: keyof DeliveryResult, isLossless?: boolean) =>
    results
      .filter(one => isLossless === undefined || one.isLossless === isLossless)
      .reduce((all, one) => all + one[key], 0);
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

  console.log(`\n${plan.identities} identities, ${plan.seconds} s`);
  row('events sent', total, total >= plan.events);
  row('events delivered', sum('delivered'));
  row('faults', faultCount, faultCount >= plan.faults);
  row('lost without a gap', sum('lost'), sum('lost') === 0);
  row('delivered twice', sum('duplicated'), sum('duplicated') === 0);
  row('delivered again after a resume (at least once)', sum('redelivered'));
  row('out of order', sum('outOfOrder'), sum('outOfOrder') === 0);
  row('reported in a gap, but delivered later', sum('recovered'));
  row('lost in a gap, older than the retention', sum('lostInGap', true));
  row('lost in a gap, index missing or refused', sum('lostInGap', false));
  row('gaps reported', sum('gaps'));
  row('longest silence, ms', result.longestSilence);
  row('watches that ended and were restarted', result.restarts);
  row('maximum requests of one watch in a minute', result.maxRequestsPerMinute);
  row('heap at start, MB', figures.heapAtStart.toFixed(1));
  row('heap at end, MB', figures.heapAtEnd.toFixed(1), figures.heapAtEnd - figures.heapAtStart < 20);
  row('sockets left', sockets, sockets === 0);
  row('consumer exited by itself', exit === 0 ? 'yes' : String(exit), exit === 0);
  console.log(`\n${failed.length === 0 ? 'passed' : `FAILED: ${failed.join(', ')}`}\n`);
  return failed.length === 0;
}
