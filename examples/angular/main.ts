// npm run board: the board with everything that it needs: an emulated service and the example's lobby server.
import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
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
/** Runs npm, with a dot for every two seconds. */
async function npm(title: string, ...args: string[]): Promise<void> {
  process.stdout.write(title);
  const dots = setInterval(() => process.stdout.write('.'), 2_000);
  const start = performance.now();
  try {
    await promisify(execFile)('npm', [...args, '--loglevel=error'], { cwd: import.meta.dirname });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    fail(`\n${stdout}${stderr}`);
  } finally {
    clearInterval(dots);
  }
  console.log(` ${Math.round((performance.now() - start) / 1_000)} s`);
}
if (!values.built) {
  // Not `npm ci`: it refuses a lock file without the builds of its packages for all platforms.
  await npm(
    'Installing the board, which takes half a minute ',
    'install',
    '--no-save',
    '--no-audit',
    '--no-fund',
  );
  await npm('Building it, which takes as long ', 'run', 'build');
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
