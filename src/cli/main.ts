#!/usr/bin/env node
import { emulate } from './emulate.js';
import { fail } from './fail.js';
import { EXIT } from './exit.js';
import { USAGE } from './usage.js';

const [command, ...args] = process.argv.slice(2);
// Whoever reads us may stop at any time, as `head` does: there is nobody left to write to.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') fail(`cannot write: ${error.code}`, EXIT.failed);
  process.exit();
});

if (command === undefined || command === '--help' || command === '-h' || command === 'help') {
  process.stdout.write(USAGE);
  process.exitCode = command === undefined ? EXIT.usage : EXIT.ok;
} else if (command === 'emulate') {
  await emulate(args);
} else {
  fail(`there is no command '${command}'; see lobby-rx --help`, EXIT.usage);
}
