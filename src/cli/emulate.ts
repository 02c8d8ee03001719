import {
  createEmulator,
  listen,
  seedWorld,
  simulateActivity,
  type EmulatorServer,
} from '../emulator/index.js';
import { describeWorld } from './describe-world.js';
import { emulateOptions, type EmulateOptions } from './emulate-options.js';
import { EXIT } from './exit.js';
import { fail } from './fail.js';

const USAGE = `lobby-rx emulate: runs the whole service on 127.0.0.1, with a small world in it

  --port N    the port to listen on; default: one that is free
  --seed N    the same seed, the same world; default 1
  --live      its world moves by itself: presences, members, chat, lobby joins
  --every N   how often it moves, in ms on average; default 1000
  --json      prints one line of JSON, with the addresses, ids and tokens
  --help      prints this

It runs until Ctrl-C. Exit codes: 0 stopped, 1 the port is taken, 2 wrong arguments.
`;

/** `lobby-rx emulate`. */
export async function emulate(args: readonly string[]): Promise<void> {
  let options: EmulateOptions;
  try {
    options = emulateOptions(args);
  } catch (error) {
    fail((error as Error).message, EXIT.usage);
    return;
  }
  if (options.help) return void process.stdout.write(USAGE);

  const emulator = createEmulator({ seed: options.seed });
  const world = seedWorld(emulator, { seed: options.seed });
  let server: EmulatorServer;
  try {
    server = await listen(emulator, { port: options.port });
  } catch (error) {
    const { code } = error as { code?: string };
    const why = code === 'EADDRINUSE' ? 'is taken' : `cannot be listened on: ${code}`;
    fail(`port ${options.port} ${why}; choose another with --port, or leave it out`, EXIT.refused);
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
  // Last: whoever reads this may stop us from then on.
  process.stdout.write(describeWorld(server, world, options));
}
