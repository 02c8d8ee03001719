import { randomBytes } from 'node:crypto';
import {
  createControl,
  createEmulator,
  listen,
  seedWorld,
  simulateActivity,
  type EmulatorServer,
  type Handler,
  type SeedConfig,
} from '../emulator/index.js';
import { lobbyAddress } from '../protocol/index.js';
import { infoForPeople, infoForPrograms } from './emulator-info.js';
import { parseFlags, wholeNumber } from './parse-flags.js';
import { handlerOfRecording } from './recording.js';
import { EXIT, fail } from './run.js';
import { jsonLine } from './terminal/index.js';
import { typeCommands } from './type-commands.js';

const HELP = `lobby-rx emulate: runs the whole service on 127.0.0.1, with sample data

  --port N           port to listen on; default: a free one. Tokens are the
                     same after a restart only with --seed
  --lobby URL        where lobby joins lead: the ws: URL of your lobby server,
                     such as ws://127.0.0.1:8080/play; default: an imaginary
                     host. Only player URLs have the path, lobby joins do not
  --seed N           the same seed gives the same ids and tokens; by default
                     they cannot be guessed
  --live             simulates activity: presence, members, chat, lobby joins
  --replay FILE      answers as a service did that was recorded by events
                     --record FILE, after the same times, instead of all this
  --every N          average time between two activities, in ms; default: 1000
  --json             prints one line of JSON with the URLs, ids and tokens, and
                     one for each command
  --exit-with-stdin  stops when standard input ends, for tests
  --help             prints this help

Standard input takes commands: player, lobby, join, leave, presence away,
message "Are you there?", fault html 502 x3, token expire. Type help for all of
them. Programs can POST them to /_emulator/, with the secret that is printed.

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

  if (options.replay !== undefined) return replay(options.replay, options);

  const { seed, every, lobby, isLive, isJson } = options;
  const emulator = createEmulator(seed === undefined ? { random: secureRandom } : { seed });
  const world = {
    ...seedWorld(emulator, { ...(seed !== undefined && { seed }), ...(lobby && { ports: lobby.ports }) }),
    ...(lobby && { lobbyUrl: lobby.url }),
  };
  const control = createControl(emulator, world);
  const server = await started(listen(emulator, { port: options.port, control }), options);
  if (!server) return;

  const activity = isLive
    ? simulateActivity(emulator, world, { seed: seed ?? 1, every }).subscribe()
    : undefined;
  const stop = () => {
    activity?.unsubscribe();
    commands.unsubscribe();
    void server.close();
  };
  onSignal(stop);
  // Printed last: a program that reads this may stop the process immediately.
  const info = { server, world, isLive };
  process.stdout.write(isJson ? `${jsonLine(infoForPrograms(info))}\n` : infoForPeople(info));
  const commands = typeCommands(control, isJson).subscribe({
    complete: () => {
      if (options.exitWithStdin) stop();
    },
  });
}

/** Answers as recorded in a file, until it is stopped. */
async function replay(path: string, options: EmulateOptions): Promise<void> {
  let recorded: Handler;
  try {
    recorded = handlerOfRecording(path);
  } catch (error) {
    fail((error as Error).message, EXIT.usage);
    return;
  }
  const server = await started(listen({ handle: recorded }, { port: options.port }), options);
  if (!server) return;
  const stop = () => void server.close();
  onSignal(stop);
  const { url } = server;
  const text = `${path} is replayed, each of its answers once. Press Ctrl-C to stop it.

  export LOBBY_URL=${url} LOBBY_TOKEN=any
`;
  process.stdout.write(options.isJson ? `${jsonLine({ url })}\n` : text);
  if (options.exitWithStdin) process.stdin.resume().once('end', stop);
}

/** The server, once it listens. Reports why it cannot, and is undefined then. */
async function started(
  listening: Promise<EmulatorServer>,
  { port }: EmulateOptions,
): Promise<EmulatorServer | undefined> {
  try {
    return await listening;
  } catch (error) {
    const { code } = error as { code?: string };
    const why = code === 'EADDRINUSE' ? 'is already in use' : `cannot be used: ${code}`;
    fail(`port ${port} ${why}; choose another --port or omit it`, EXIT.refused);
    return undefined;
  }
}

function onSignal(stop: () => void): void {
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

interface EmulateOptions {
  readonly port: number;
  /** Undefined if the ids and tokens must not be guessed. */
  readonly seed: number | undefined;
  readonly lobby: LobbyPlace | undefined;
  /** The path of a recording to answer from, instead of a world. */
  readonly replay: string | undefined;
  readonly isJson: boolean;
  readonly isLive: boolean;
  /** In ms. */
  readonly every: number;
  readonly exitWithStdin: boolean;
  readonly help: boolean;
}

function readOptions(args: readonly string[]): EmulateOptions {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseFlags('emulate', args, {
    flags: {
      ...{ port: { ...text, default: '0' }, seed: text, lobby: text, replay: text },
      ...{ live: flag, every: { ...text, default: '1000' }, json: flag, 'exit-with-stdin': flag },
      help: { ...flag, short: 'h' },
    },
  });
  const { seed, lobby, live } = values;
  if (values.replay !== undefined && (seed !== undefined || lobby !== undefined || live))
    throw new Error('use either --replay, or --seed, --lobby and --live');
  return {
    port: wholeNumber('--port', values.port, 0, 65_535),
    seed: seed === undefined ? undefined : wholeNumber('--seed', seed, 0, 2 ** 32 - 1),
    lobby: lobby === undefined ? undefined : lobbyAt(lobby),
    replay: values.replay,
    isJson: values.json,
    isLive: live,
    every: wholeNumber('--every', values.every, 1, 3_600_000),
    exitWithStdin: values['exit-with-stdin'],
    help: values.help,
  };
}

/** Where a lobby is. */
interface LobbyPlace {
  /** A lobby join has no path: clients have to know it. */
  readonly ports: NonNullable<SeedConfig['ports']>;
  /** The URL of the lobby, with its path. */
  readonly url: string;
}

/** The place of a lobby with this WebSocket URL. */
function lobbyAt(text: string): LobbyPlace {
  const [, scheme, hostname, port, path = ''] =
    /^(wss?):\/\/([^/?#@:\s]+|\[[\da-f:]+\])(?::(\d{1,5}))?(\/[^?#\s]*)?$/i.exec(text) ?? [];
  const isTls = scheme?.toLowerCase() === 'wss';
  const number = Number(port ?? (isTls ? 443 : 80));
  if (!hostname || number > 65_535)
    throw new Error(
      `--lobby must be a ws: or wss: URL without a query, like ws://127.0.0.1:8080/play; got '${text}'`,
    );
  const ports = { default: { host: `${hostname}:${number}`, hostname, port: number, is_tls: isTls } };
  return { ports, url: `${lobbyAddress({ ports }).url}${path === '/' ? '' : path}` };
}

/** As `Math.random`, but the next one cannot be guessed. */
function secureRandom(): number {
  return randomBytes(4).readUInt32LE() / 2 ** 32;
}
