// Runs each part of the benchmarks in a process of its own. With --check it fails if a bound is
// exceeded, three times in a row. With --save, figures.json has what it has printed, and a test
// compares the pages with that.
import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildPrograms } from './build.js';
import { CHECKED_PARTS, isPartName, PART_NAMES, type PartName } from './part-name.js';
import { saveFigures } from './figures.js';
import { createReport, type Figure, type PrintedReport, type Table } from './report.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: 'boolean', default: false },
    watches: { type: 'string', default: '3000' },
    json: { type: 'string' },
    save: { type: 'boolean', default: false },
  },
});
/**
 * What other programs disturbed is within its bound in another run; what became slower is over it
 * in every run.
 */
const RUNS = values.check ? 3 : 1;
/** How long one part may take, in ms, on a busy machine: it fails if it does not end by itself. */
const limitOf = (name: PartName) =>
  (name === 'peers' ? 900_000 : 300_000) * Math.max(1, Number(values.watches) / 3_000);
const unknown = positionals.find(name => !isPartName(name));
if (unknown !== undefined) {
  console.error(`There is no part '${unknown}'. The parts are: ${PART_NAMES.join(', ')}.`);
  process.exit(2);
}

const figures: PrintedReport['figures'][number][] = [];
const exceeded: string[] = [];
const programs = await buildPrograms();
try {
  for (const name of PART_NAMES) {
    const isUsual = positionals.length === 0 && (!values.check || CHECKED_PARTS.includes(name));
    if (isUsual || positionals.includes(name)) await measure(name);
  }
} finally {
  programs.remove();
}
console.log(
  '\n× is lobby-rx divided by the figure of that line, or what the line says: the median of the ratios of each round.',
);
console.log(`\n${figures.length} figures, ${exceeded.length} over their bound`);
for (const line of exceeded) console.log(`  ${line}`);
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(figures, null, 2) + '\n');
if (values.save) saveFigures(figures);
if (values.check && exceeded.length > 0) process.exitCode = 1;

async function measure(name: PartName): Promise<void> {
  let report = await run(name);
  let over = [...report.exceeded.keys()];
  for (let runs = 1; runs < RUNS && over.length > 0; runs++) {
    console.log(`\n${name} again, since ${over.length} of its figures are over their bound:`);
    report = await run(name);
    over = over.filter(figure => report.exceeded.has(figure));
  }
  figures.push(...report.figures);
  exceeded.push(...over.map(figure => `${figure}, ${report.exceeded.get(figure)}`));
}

function run(name: PartName): Promise<PrintedReport> {
  const report = createReport();
  const child = fork(programs.path('part'), [name, values.watches], { execArgv: ['--expose-gc'] });
  const limit = limitOf(name);
  const timer = setTimeout(() => child.kill('SIGKILL'), limit);
  child.on('message', (message: string | Figure | Table) => {
    if (typeof message === 'string') report.heading(message);
    else if ('rows' in message) report.table(message.heading, message.rows);
    else report.add(message);
  });
  return new Promise(resolve => {
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      if (code !== 0) {
        report.fail(
          `${name}: ${signal === null ? `ended with ${code}` : `did not end within ${limit / 1_000} s`}`,
        );
      }
      resolve(report);
    });
  });
}
