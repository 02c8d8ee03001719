// npm run soak: thousands of watches of one client beside busy processes. Deliveries must not stop,
// and nothing may be lost.
import type { ChildProcess } from 'node:child_process';
import { availableParallelism, setPriority } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { spawnFile, wait } from '../chaos/child.js';
import { coresOf, keepBusy, pin } from '../chaos/starve.js';
import type { FromService, ServiceReport, ToService, ToWatcher, WatcherReport } from './messages.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    watches: { type: 'string', default: '2000' },
    rate: { type: 'string', default: '20' },
    'all-every': { type: 'string', default: '30' },
    hogs: { type: 'string', default: String(availableParallelism()) },
    nice: { type: 'string', default: '0' },
    pin: { type: 'boolean', default: false },
  },
});
const [minutes, watches] = [Number(values.minutes), Number(values.watches)];

/** Without a delivery for longer than the timeout of a poll, in ms, the watches have stopped. */
const TIMEOUT = 70_000;
/**
 * The connections are opened in groups: thousands at once would overflow the queue of the listening
 * socket.
 */
const GROUP = 250;
const PRINT_EVERY = 10_000;
/** So much time have the watches to begin, and a process to answer, in ms. */
const BEGINNING = 120_000;
const UNANSWERED = 120_000;

const ask = <T>(child: ChildProcess, message: ToService | ToWatcher): Promise<T> =>
  new Promise(resolve => {
    const limit = setTimeout(() => fail('a process does not answer'), UNANSWERED);
    child.once('message', reply => {
      clearTimeout(limit);
      resolve(reply as T);
    });
    child.send(message);
  });
const fail = (text: string): never => {
  console.error(`FAILED: ${text}`);
  process.exit(1);
};
const start = (name: string) => {
  const child = spawnFile(join(import.meta.dirname, `${name}.ts`));
  child.stderr!.pipe(process.stderr);
  child.once('exit', code => {
    if (!isOver) fail(`the ${name} process has ended with ${code}`);
  });
  return child;
};
let isOver = false;
const [service, watcher] = [start('service'), start('watcher')];
const both = async () => ({
  ...(await ask<ServiceReport>(service, { kind: 'report' })),
  ...(await ask<WatcherReport>(watcher, { kind: 'report' })),
});

const { port, tokens } = await ask<Extract<FromService, { kind: 'started' }>>(service, {
  kind: 'start',
  watches,
  rate: Number(values.rate),
  allEvery: Number(values['all-every']),
});
const cores = values.pin ? coresOf(watcher.pid!)?.split(/[,-]/)[0] : undefined;
if (cores !== undefined) pin(watcher.pid!, cores);
if (values.nice !== '0') setPriority(watcher.pid!, Number(values.nice));
void keepBusy(Number(values.hogs), minutes * 60_000 + BEGINNING + 2 * TIMEOUT, cores);

let startedAt = Date.now();
let before = await both();
let longestSilence = 0;
let isPublishing = false;
const isSilent = () => longestSilence > TIMEOUT;
async function printRow(): Promise<void> {
  const now = await both();
  if (isPublishing)
    longestSilence = Math.max(now.longestSilence, Date.now() - Math.max(now.lastAt, startedAt));
  const columns = [
    now.sockets,
    now.deliveries - before.deliveries,
    now.polls - before.polls,
    now.aborted - before.aborted,
    now.connections - before.connections,
  ];
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(0);
  console.log(seconds.padStart(5) + columns.map((n, i) => String(n).padStart(i === 4 ? 19 : 11)).join(''));
  before = now;
}

console.log(
  `${watches} watches, ${values.hogs} busy processes${cores === undefined ? '' : ` on core ${cores}`}`,
);
console.log('    s    sockets  deliveries      polls    aborted  fresh connections');
for (let opened = 0; opened < watches; opened += GROUP) {
  const url = `http://127.0.0.1:${port}`;
  await ask(watcher, { kind: 'open', url, tokens: tokens.slice(opened, opened + GROUP) });
  await wait(250);
}
const isReady = () => before.ready === watches;
while (!isReady() && Date.now() - startedAt < BEGINNING) {
  await wait(PRINT_EVERY / 2);
  await printRow();
}
console.log(`${before.ready} watches have begun`);
startedAt = Date.now();
isPublishing = true;
await ask(service, { kind: 'publish', isOn: true });
while (Date.now() - startedAt < minutes * 60_000 && isReady() && !isSilent()) {
  await wait(PRINT_EVERY);
  await printRow();
}
await ask(service, { kind: 'publish', isOn: false });
/** How many events have not come yet, though they were published. */
const missing = ({ published, next }: typeof before) =>
  published.reduce((all, count, i) => all + count - next[i]!, 0);
before = await both();
for (let i = 0; i < TIMEOUT / 500 && missing(before) > 0; i++) {
  await wait(500);
  before = await both();
}

isOver = true;
const lost = before.lost + missing(before);
const rows: [name: string, value: number, holds?: boolean][] = [
  ['watches that have begun', before.ready, isReady()],
  ['events published', before.published.reduce((all, count) => all + count, 0)],
  ['events delivered', before.deliveries],
  ['polls', before.polls],
  ['polls aborted', before.aborted],
  ['connections', before.connections],
  ['longest time without a delivery, ms', longestSilence, !isSilent()],
  ['gaps', before.gaps],
  ['lost in a gap', before.lostInGap],
  ['lost without a gap', lost, lost === 0],
  ['delivered twice without a gap', before.twice, before.twice === 0],
  ['watches that ended', before.ended, before.ended === 0],
];
console.log();
for (const [name, value, holds] of rows) {
  const mark = holds ? '✔' : '✖';
  console.log(
    `  ${name.padEnd(40)} ${String(value).padStart(10)}  ${holds === undefined ? '' : mark}`.trimEnd(),
  );
}
const isPassed = rows.every(([, , holds]) => holds !== false);
console.log(`\n${isPassed ? 'passed' : 'FAILED'}\n`);
await ask(watcher, { kind: 'stop' });
for (const child of [watcher, service]) child.kill();
process.exit(isPassed ? 0 : 1);
