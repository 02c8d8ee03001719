import { randomBytes } from 'node:crypto';
import {
  createControl,
  createEmulator,
  listen,
  seedWorld,
  simulateActivity,
  type EmulatorConfig,
  type EmulatorServer,
  type SeededWorld,
  type Emulator,
} from '../../emulator/index.js';
import { readEmulateOptions, type EmulateOptions } from './emulate-options.js';
import { infoForPeople, infoForPrograms } from './emulator-info.js';
import { EXIT } from '../exit-code.js';
import { fail } from '../run.js';
import { jsonLine } from '../terminal/index.js';
import { createWorkbench, readWorkbenchPage, type Workbench } from '../../workbench/index.js';
import { typeCommands } from './type-commands.js';

const HELP = `lobby-rx emulate: runs the whole service on this machine, with sample data

  --port N           port to listen on; default: a free one. Tokens are the
                     same after a restart only with --seed
  --host ADDRESS     address to listen on; default: 127.0.0.1. With 0.0.0.0, a
                     phone or a container reaches it, and so do all others
  --allow-host NAMES further names, with their ports, by which the workbench
                     and commands are reached: 192.168.0.5:8080,pc.local:8080
  --lobby URL        where lobby joins lead: the ws: URL of your lobby server,
                     such as ws://127.0.0.1:8080/play; default: an imaginary
                     host. Only player URLs have the path, lobby joins do not
  --seed N           the same seed gives the same ids and tokens; by default
                     they cannot be guessed
  --ui               serves a workbench: a page that shows what happens, and
                     makes things happen
  --simulate         simulates activity: presence, members, chat, lobby joins
  --every N          with --simulate: average time between two activities, in
                     ms; default: 1000
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
  let page: string | undefined;
  try {
    options = readEmulateOptions(args);
    page = options.hasUi ? readWorkbenchPage() : undefined;
  } catch (error) {
    fail((error as Error).message, EXIT.usage);
    return;
  }
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }

  const { seed, every, lobby, isSimulated, isJson, hasUi } = options;
  const config = seed === undefined ? { random: secureRandom } : { seed };
  const seeded = (emulator: Emulator): SeededWorld => ({
    ...seedWorld(emulator, { ...(seed !== undefined && { seed }), ...(lobby && { ports: lobby.ports }) }),
    ...(lobby && { lobbyUrl: lobby.url }),
  });
  const emulated: Emulated =
    page === undefined ? plainEmulator(config, seeded) : createWorkbench(config, seeded, page);
  const { control, world, emulator, workbench } = emulated;
  const server = await started(
    listen(emulator, { ...placeOf(options), control, ...(workbench && { workbench }) }),
    options,
  );
  if (!server) return;

  const activity = isSimulated
    ? simulateActivity(emulator, world, { seed: seed ?? 1, every }).subscribe()
    : undefined;
  const stop = () => {
    activity?.unsubscribe();
    commands.unsubscribe();
    void server.close();
  };
  onSignal(stop);
  // Printed last, because a program that reads this may stop the process immediately.
  const info = { server, world, isSimulated, hasUi, isOpen: isOpen(options) };
  process.stdout.write(isJson ? `${jsonLine(infoForPrograms(info))}\n` : infoForPeople(info));
  const commands = typeCommands(control, isJson).subscribe({
    complete: () => {
      if (options.exitWithStdin) stop();
    },
  });
}

/** An emulator, with a workbench or without. */
type Emulated = Omit<Workbench, 'workbench'> & Partial<Pick<Workbench, 'workbench'>>;

function plainEmulator(config: EmulatorConfig, seeded: (emulator: Emulator) => SeededWorld): Emulated {
  const emulator = createEmulator(config);
  const world = seeded(emulator);
  return { emulator, world, control: createControl(emulator, world) };
}

const placeOf = ({ port, host, allowHosts }: EmulateOptions) => ({ port, ...(host && { host }), allowHosts });

/** The server, once it listens. If it cannot listen, prints the reason and returns `undefined`. */
async function started(
  listening: Promise<EmulatorServer>,
  { port, host }: EmulateOptions,
): Promise<EmulatorServer | undefined> {
  try {
    return await listening;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
      fail(`--host ${host} is not an address of this machine (${code})`, EXIT.usage);
      return undefined;
    }
    const why = code === 'EADDRINUSE' ? 'is already in use' : `cannot be used: ${code}`;
    fail(`port ${port} ${why}; choose another --port or omit it`, EXIT.refused);
    return undefined;
  }
}

/** Whether other machines can reach the emulator. */
const isOpen = ({ host = '127.0.0.1' }: EmulateOptions) => !/^(127\.|localhost$|::1$)/.test(host);

function onSignal(stop: () => void): void {
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

/** A random number like that of `Math.random`, but nobody can guess the next one. */
function secureRandom(): number {
  return randomBytes(4).readUInt32LE() / 2 ** 32;
}
