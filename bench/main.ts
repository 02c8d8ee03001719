// Runs all benchmarks in one process. With --check it fails if a promised bound is exceeded.
import { benchBesiegedGate } from './besieged-gate.js';
import { benchDecode } from './decode.js';
import { benchGate } from './gate.js';
import { benchLeaks } from './leaks.js';
import { benchMembers } from './members.js';
import { benchPolls } from './polls.js';
import { createReport } from './report.js';

const report = createReport(process.argv.includes('--check'));
benchDecode(report);
await benchMembers(report);
await benchPolls(report);
await benchLeaks(report);
await benchGate(report);
await benchBesiegedGate(report);
report.end();
