import { parseArgs } from 'node:util';

const HELP = `npm run lobby: a small game lobby, open on 127.0.0.1

  -- --port N   port to listen on; default: PORT, or else a free one
  -- --metrics  shows metrics to Prometheus on 127.0.0.1:9464, or the port in
                OTEL_EXPORTER_PROMETHEUS_PORT
  -- --help     prints this help

With LOBBY_RX_URL and LOBBY_TOKEN, the lobby's token, it uses that service. Without
both, it emulates one.`;

/** How the lobby was started. */
export interface Options {
  readonly port: number;
  readonly metrics: boolean;
  /** Undefined if the service is to be emulated. */
  readonly service: { readonly url: string; readonly token: string } | undefined;
}

/**
 * Reads the arguments and the environment. If the lobby cannot start with them, it says why in one
 * line, and exits.
 */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options {
  const { help, metrics = false, port = env.PORT ?? '0' } = flagsIn(args);
  if (help) {
    console.log(HELP);
    process.exit(0);
  }
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    fail(`The port must be a whole number from 0 to 65535; got '${port}'.`);
  const { LOBBY_RX_URL: url, LOBBY_TOKEN: token } = env;
  if (Boolean(url) !== Boolean(token))
    fail(
      "Set LOBBY_RX_URL, and LOBBY_TOKEN to the lobby's token; npm run emulate prints both. Or unset both.",
    );
  return { port: Number(port), metrics, service: url && token ? { url, token } : undefined };
}

function flagsIn(args: readonly string[]) {
  try {
    const options = {
      port: { type: 'string' },
      metrics: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    } as const;
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    const [reason] = (error as Error).message.split(/\.\s/, 1);
    return fail(`${reason}; see npm run lobby -- --help`);
  }
}

/** Ends the process: what it was called with is wrong. */
export function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
