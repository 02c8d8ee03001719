// npm run board: the board with everything that it needs: an emulated service and the example's lobby server.
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { startBoard } from './board.js';

const HELP = `npm run board: an Angular application, open on localhost

  -- --port N   port of the page; default: 4200
  -- --built    does not install and build it anew
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
  npm('ci', '--no-audit', '--no-fund', '--loglevel=error');
  npm('run', 'build', '--loglevel=error');
}
const board = await startBoard({ port: Number(values.port), every: 2_500 });
console.log(`The lobby board is open on ${board.url}
Open each of these in a browser of its own, or a private window, to sign in:
${board.links.map(({ name, url }) => `  ${name.padEnd(6)} ${url}`).join('\n')}
Ctrl-C to stop.`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void board.close().then(() => process.exit(0)));
}
