// Runs each part of the benchmarks in a process of its own. With --check it fails if a bound is exceeded.
import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildPrograms } from './build.js';
import { isPartName, PART_NAMES, type PartName } from './part-name.js';
import { createReport, type Figure } from './report.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: 'boolean', default: false },
    watches: { type: 'string', default: '3000' },
    json: { type: 'string' },
  },
});
/** How long one part may take, in ms, on a busy machine: it fails if it does not end by itself. */
const limit = 300_000 * Math.max(1, Number(values.watches) / 3_000);
const unknown = positionals.find(name => !isPartName(name));
if (unknown !== undefined) {
  console.error(`There is no part '${unknown}'. The parts are: ${PART_NAMES.join(', ')}.`);
  process.exit(2);
}

const report = createReport();
const programs = await buildPrograms();
try {
  for (const name of PART_NAMES) {
    if (positionals.length === 0 || positionals.includes(name)) await run(name);
  }
} finally {
  programs.remove();
}
report.end();
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(report.figures, null, 2) + '\n');
if (values.check && report.exceeded.length > 0) process.exitCode = 1;

function run(name: PartName): Promise<void> {
  const child = fork(programs.path('part'), [name, values.watches], { execArgv: ['--expose-gc'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), limit);
  child.on('message', (message: string | Figure) => {
    if (typeof message === 'string') report.heading(message);
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
      resolve();
    });
  });
}
