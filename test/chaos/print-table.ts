import type { ChaosPlan, ConsumerFigures } from './messages.js';
import type { Recovery } from './verdict.js';

interface Result {
  readonly plan: ChaosPlan;
  readonly total: number;
  readonly verdicts: readonly (Recovery & { readonly isKept: boolean })[];
  readonly faults: Readonly<Record<string, number>>;
  readonly figures: ConsumerFigures;
  readonly longestSilence: number;
  readonly worstRequestsPerMinute: number;
  readonly endings: number;
  readonly sockets: number;
  readonly exit: number | null | 'still there';
  readonly calamities: readonly string[];
}

/** Prints what came of it, and says whether every promise was kept. */
export function printTable(result: Result): boolean {
  const { plan, total, verdicts, faults, figures, sockets, exit, calamities } = result;
  const sum = (key: keyof Recovery, isKept?: boolean) =>
    verdicts
      .filter(verdict => isKept === undefined || verdict.isKept === isKept)
      .reduce((all, verdict) => all + verdict[key], 0);
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
  console.log(`\nCalamities`);
  for (const name of new Set(calamities)) row(name, calamities.filter(other => other === name).length);

  console.log(`\n${plan.identities} identities, ${plan.seconds} s`);
  row('events sent', total, total >= plan.events);
  row('events delivered', sum('delivered'));
  row('faults', faultCount, faultCount >= plan.faults);
  row('lost without a gap', sum('lost'), sum('lost') === 0);
  row('doubled', sum('doubled'), sum('doubled') === 0);
  row('given again after a resume (at least once)', sum('again'));
  row('out of order', sum('outOfOrder'), sum('outOfOrder') === 0);
  row('lost in a gap, and given after all', sum('recovered'));
  row('lost in a gap, past the retention', sum('covered', true));
  row('lost in a gap, by an index missing or refused', sum('covered', false));
  row('gaps told', sum('gaps'));
  row('longest silence, ms', result.longestSilence);
  row('watches that ended and were started again', result.endings);
  row('requests of one watch in a minute, at worst', result.worstRequestsPerMinute);
  row('heap at start, MB', figures.heapAtStart.toFixed(1));
  row('heap at end, MB', figures.heapAtEnd.toFixed(1), figures.heapAtEnd - figures.heapAtStart < 20);
  row('sockets left', sockets, sockets === 0);
  row('consumer ended by itself', exit === 0 ? 'yes' : String(exit), exit === 0);
  console.log(`\n${failed.length === 0 ? 'passed' : `FAILED: ${failed.join(', ')}`}\n`);
  return failed.length === 0;
}
