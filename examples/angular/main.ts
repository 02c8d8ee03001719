// npm run board: the board with everything that it needs: an emulated service and the example's lobby server.
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { startBoard } from './board.js';

const HELP = `npm run board: an Angular application, open on localhost

  -- --port N   port of the page; default: 4200
  -- --built    does not install and build it again
  -- --help     prints this help`;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4200' },
    built: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const npm = (...args: string[]) =>
  execFileSync('npm', args, { cwd: import.meta.dirname, stdio: ['ignore', 'ignore', 'inherit'] });
if (!values.built) {
  console.log('Installing and building the board; this takes a minute.');
  // Not `npm ci`: it refuses a lock file without the builds of its packages for all platforms.
  npm('install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error');
  npm('run', 'build', '--loglevel=error');
}
const port = Number(values.port);
if (!/^\d+$/.test(values.port) || port < 1 || port > 65_535)
  fail(`--port must be from 1 to 65535; got '${values.port}'.`);
const failures: string[] = [];
const board = await startBoard({ port, every: 2_500, print: line => failures.push(line) }).catch(() => {
  const isTaken = failures.some(line => line.includes('EADDRINUSE'));
  const hint = isTaken
    ? `Port ${port} is already in use; choose another one: npm run board -- --port 4201`
    : failures.join('\n');
  return fail(hint);
});
console.log(`The lobby board is open on ${board.url}
Open each of these in a browser of its own, or a private window, to sign in:
${board.links.map(({ name, url }) => `  ${name.padEnd(6)} ${url}`).join('\n')}
Ctrl-C to stop.`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void board.close().then(() => process.exit(0)));
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
