import { parseArgs } from 'node:util';
import {
  createEmulator,
  listen,
  seedWorld,
  simulateActivity,
  type EmulatorServer,
  type SeededWorld,
} from '../emulator/index.js';
import { EXIT, fail } from './run.js';

const HELP = `lobby-rx emulate: runs the whole service on 127.0.0.1, with sample data

  --port N    port to listen on; default: a free one
  --seed N    the same seed gives the same ids and tokens; default: random
  --live      simulates activity: presence, profiles, members, chat, lobby joins
  --every N   average time between two activities, in ms; default: 1000
  --json      prints one line of JSON with the URLs, ids and tokens
  --help      prints this help

Runs until Ctrl-C. Exit codes: 0 stopped, 1 the port cannot be used, 2 wrong
arguments.
`;

/** `lobby-rx emulate`: runs the emulator until it is stopped. */
export async function emulate(args: readonly string[]): Promise<void> {
  let options: EmulateOptions;
  try {
    options = readOptions(args);
  } catch (error) {
    fail((error as Error).message, EXIT.usage);
    return;
  }
  if (options.help) return void process.stdout.write(HELP);

  const emulator = createEmulator({ seed: options.seed });
  const world = seedWorld(emulator, { seed: options.seed });
  let server: EmulatorServer;
  try {
    server = await listen(emulator, { port: options.port });
  } catch (error) {
    const { code } = error as { code?: string };
    const why = code === 'EADDRINUSE' ? 'is already in use' : `cannot be used: ${code}`;
    fail(`port ${options.port} ${why}; choose another --port or omit it`, EXIT.refused);
    return;
  }

  const { seed, every } = options;
  const activity = options.live ? simulateActivity(emulator, world, { seed, every }).subscribe() : undefined;
  const stop = () => {
    activity?.unsubscribe();
    void server.close();
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  // Printed last: a program that reads this may stop the process immediately.
  process.stdout.write(
    options.json ? jsonOf(server, world) : descriptionOf(server, world, { live: options.live }),
  );
}

interface EmulateOptions {
  readonly port: number;
  readonly seed: number;
  readonly json: boolean;
  readonly live: boolean;
  readonly every: number;
  readonly help: boolean;
}

function readOptions(args: readonly string[]): EmulateOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      live: { type: 'boolean', default: false },
      every: { type: 'string', default: '1000' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  return {
    port: wholeNumber('--port', values.port, 0, 65_535),
    seed: wholeNumber('--seed', values.seed, 0, 2 ** 32 - 1),
    json: values.json,
    live: values.live,
    every: wholeNumber('--every', values.every, 1, 3_600_000),
    help: values.help,
  };
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  if (/^\d+$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new Error(`${name} must be a whole number from ${min} to ${max}; got '${text}'`);
}

/** One line for a program to read. */
function jsonOf({ url, urls }: EmulatorServer, world: SeededWorld): string {
  const { groupId, identityId, identityToken, lobbyToken, playerToken } = world;
  return `${JSON.stringify({ url, ...urls, groupId, identityId, identityToken, lobbyToken, playerToken })}\n`;
}

/** Text for people, with lines to paste into a shell. */
function descriptionOf(
  { url }: EmulatorServer,
  { groupId, groupName, identityId, identityToken, lobbyToken, playerToken }: SeededWorld,
  { live }: { readonly live: boolean },
): string {
  const activity = live ? 'with simulated activity' : 'without activity (use --live to simulate some)';
  return `The service is running ${activity}. Press Ctrl-C to stop it.

  URL              ${url}

  group            ${groupId}  ${groupName}
  identity         ${identityId}
  identity token   ${identityToken}
  lobby token      ${lobbyToken}
  player token     ${playerToken}  valid once, for two minutes

For lobby-rx members, watch and events:
  export LOBBY_URL=${url} LOBBY_TOKEN=${identityToken} LOBBY_GROUP=${groupId}

For lobby-rx connected, and for examples/lobby-server:
  export LOBBY_URL=${url} LOBBY_TOKEN=${lobbyToken}

List members of the group:
  curl -H 'Authorization: Bearer ${identityToken}' '${url}/v1/groups/${groupId}/members?count=3'

Get live events, starting now; pass the index back as ?watch_index= to wait for the next ones:
  curl -H 'Authorization: Bearer ${identityToken}' '${url}/identity/events/live'

Confirm the player:
  curl -X POST -H 'Authorization: Bearer ${lobbyToken}' -H 'Content-Type: application/json' \\
    -d '{"player_token":"${playerToken}"}' '${url}/v1/players/connected'
`;
}
