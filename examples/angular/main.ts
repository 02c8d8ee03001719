// npm run board: the board with everything that it needs: an emulated service and the example's
// lobby server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs, stripVTControlCharacters } from 'node:util';
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
const port = Number(values.port);
if (!/^\d+$/.test(values.port) || port < 1 || port > 65_535)
  fail(`--port must be from 1 to 65535; got '${values.port}'.`);
if (!values.built) {
  console.log('Half a minute each, some minutes on a busy machine or a slow network:');
  // Not `npm ci`: it refuses a lock file without the builds of its packages for all platforms.
  await npm('installing the board', 'install', '--no-save', '--no-audit', '--no-fund', '--loglevel=http');
  await npm('building it', 'run', 'build');
}
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

/** Runs npm, and shows for how long, and what it has said last. */
async function npm(title: string, ...args: string[]): Promise<void> {
  const { stdout, stderr } = process;
  const start = performance.now();
  const seconds = () => `${Math.round((performance.now() - start) / 1_000)} s`;
  const child = spawn('npm', args, { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => {
      output += stripVTControlCharacters(data.toString());
    });
  const show = () => {
    const last = output.trimEnd().split('\n').at(-1)!.trim();
    const line = `  ${title}: ${seconds()}  ${last}`;
    stdout.write(stdout.isTTY ? `\r\x1b[K${line.slice(0, stdout.columns - 1)}` : `${line}\n`);
  };
  const showing = setInterval(show, stdout.isTTY ? 500 : 10_000);
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(showing);
  if (stdout.isTTY) stdout.write('\r\x1b[K');
  if (code === 0) {
    console.log(`  ${title}: ${seconds()}`);
    return;
  }
  stderr.write(output);
  fail(`npm ${args[0]} has failed`);
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
