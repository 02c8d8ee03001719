#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { connected } from './connected.js';
import { nearestName } from '../../error/index.js';
import { doctor } from './doctor.js';
import { emulate } from './emulate/index.js';
import { events } from './events.js';
import { members } from './members.js';
import { EXIT } from './exit-code.js';
import { fleet } from './fleet/index.js';
import { fail } from './run.js';
import { watch } from './watch.js';

const COMMANDS = new Map(Object.entries({ members, watch, events, connected, doctor, emulate, fleet }));

const USAGE = `lobby-rx: the Lobby, Group and Identity Event service on the command line

  lobby-rx members GROUP   lists the members of a group
  lobby-rx watch GROUP     follows who joins a group, who leaves, who changes
  lobby-rx events          follows the live events of an identity
  lobby-rx connected       confirms the player token on standard input
  lobby-rx doctor          finds faults of a service, and of proxies before it
  lobby-rx emulate         runs the whole service on 127.0.0.1, with sample data
  lobby-rx fleet           shows the workers and consumers of a fleet on NATS

Each command has its own --help. lobby-rx --version prints the version.

The URL of the service comes from --url or LOBBY_RX_URL. If its three parts have
separate URLs, use LOBBY_RX_GROUP_URL, LOBBY_RX_MATCHMAKER_URL and
LOBBY_RX_API_URL, or the flags of each command. The bearer token comes only from
LOBBY_RX_TOKEN, because other users of the machine can see arguments. The help
of fleet has the variables of NATS.

Exit codes:
  0          success
  1          refused by the service, or an invalid answer; doctor, fleet: a
             problem; emulate: a taken port
  2          wrong arguments, or a checkpoint that cannot be kept; fleet: a
             package is missing
  3          the service or NATS was not reached; connected: nor was the player
             token judged, because of the rate or of LOBBY_RX_TOKEN
  4          connected: unknown, the service may count the player as connected
  130, 143   members, connected, doctor, fleet: stopped by a signal
`;

// The reader of our output may close the pipe at any time, as head does. Then the command ends.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') fail(`cannot write to standard output: ${error.code}`, EXIT.refused);
  process.exit();
});
// If nobody reads standard error any more, the output on standard output goes on.
process.stderr.on('error', () => undefined);

const [first, ...rest] = process.argv.slice(2);
// People that know git or npm try `lobby-rx help members`.
const isHelp = first === 'help' && rest.length > 0;
const [name, ...args] = isHelp ? [rest[0], '--help'] : [first, ...rest];
const command = name === undefined ? undefined : COMMANDS.get(name);
if (command) {
  await command(args);
} else if (name === undefined || ['--help', '-h', 'help'].includes(name)) {
  process.stdout.write(USAGE);
  process.exitCode = name === undefined ? EXIT.usage : EXIT.ok;
} else if (name === '--version') {
  process.stdout.write(`${version()}\n`);
} else {
  const meant = nearestName(name, [...COMMANDS.keys()]);
  // Quotes only a word, or a name like that of a command. Anything else may be a token.
  const quoted = meant || /^[a-z-]{1,20}$/i.test(name) ? ` '${name}'` : '';
  const hint = quoted + (meant ? ` (did you mean ${meant}?)` : '');
  fail(`unknown command${hint}; see lobby-rx --help`, EXIT.usage);
}

function version(): string {
  const manifest = readFileSync(new URL(import.meta.resolve('lobby-rx/package.json')), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
