#!/usr/bin/env node
import { connected } from './connected.js';
import { emulate } from './emulate.js';
import { events } from './events.js';
import { EXIT } from './exit.js';
import { fail } from './fail.js';
import { members } from './members.js';
import { USAGE } from './usage.js';
import { version } from './version.js';
import { watch } from './watch.js';

const COMMANDS = new Map(Object.entries({ members, watch, events, connected, emulate }));

const [name, ...args] = process.argv.slice(2);
// Whoever reads us may stop at any time, as `head` does: there is nobody left to write to.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') fail(`cannot write: ${error.code}`, EXIT.refused);
  process.exit();
});

const command = name === undefined ? undefined : COMMANDS.get(name);
if (command) {
  await command(args);
} else if (name === undefined || ['--help', '-h', 'help'].includes(name)) {
  process.stdout.write(USAGE);
  process.exitCode = name === undefined ? EXIT.usage : EXIT.ok;
} else if (name === '--version') {
  process.stdout.write(`${version()}\n`);
} else {
  fail(`there is no command '${name}'; see lobby-rx --help`, EXIT.usage);
}
