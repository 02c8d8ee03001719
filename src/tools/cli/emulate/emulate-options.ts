import type { SeedConfig } from '../../emulator/index.js';
import { lobbyAddress } from '../../../protocol/index.js';
import { parseFlags, wholeNumber, shown } from '../parse-flags.js';

export interface EmulateOptions {
  readonly port: number;
  /** The address to listen on. */
  readonly host: string | undefined;
  /** Further host names under which the workbench and the commands can be reached. */
  readonly allowHosts: readonly string[];
  /** `undefined` if nobody must be able to guess the ids and tokens. */
  readonly seed: number | undefined;
  readonly lobby: LobbyAddressOption | undefined;
  /** Whether to serve the workbench. */
  readonly hasUi: boolean;
  readonly isJson: boolean;
  readonly isSimulated: boolean;
  /** The average time between two activities, in ms. */
  readonly every: number;
  readonly exitWithStdin: boolean;
  readonly help: boolean;
}

/** The default of `--every`, in ms. */
const EVERY_MS = 1_000;

/** Reads the options of `lobby-rx emulate`. Throws an error that says what is wrong with them. */
export function readEmulateOptions(args: readonly string[]): EmulateOptions {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseFlags('emulate', args, {
    flags: {
      port: { ...text, default: '0' },
      host: text,
      'allow-host': text,
      seed: text,
      lobby: text,
      simulate: flag,
      every: text,
      ui: flag,
      json: flag,
      'exit-with-stdin': flag,
      help: { ...flag, short: 'h' },
    },
  });
  const { seed, lobby, every, simulate } = values;
  if (every !== undefined && !simulate) throw new Error('--every is only used with --simulate');
  return {
    port: wholeNumber('--port', values.port, 0, 65_535),
    host: values.host === undefined ? undefined : hostIn('--host', values.host),
    allowHosts: (values['allow-host']?.split(',') ?? []).map(host => hostIn('--allow-host', host)),
    seed: seed === undefined ? undefined : wholeNumber('--seed', seed, 0, 2 ** 32 - 1),
    lobby: lobby === undefined ? undefined : lobbyAt(lobby),
    hasUi: values.ui,
    isJson: values.json,
    isSimulated: simulate,
    every: every === undefined ? EVERY_MS : wholeNumber('--every', every, 1, 3_600_000),
    exitWithStdin: values['exit-with-stdin'],
    help: values.help,
  };
}

function hostIn(flag: string, text: string): string {
  if (/^[\w.:[\]-]+$/.test(text)) return text;
  throw new Error(`${flag} must be a name or an address, like 0.0.0.0; got ${shown(text)}`);
}

interface LobbyAddressOption {
  /** The ports for lobby joins. A lobby join has no path, so clients have to know the path. */
  readonly ports: NonNullable<SeedConfig['ports']>;
  /** The URL of the lobby, with its path. */
  readonly url: string;
}

/** The address of the lobby with this WebSocket URL. */
function lobbyAt(text: string): LobbyAddressOption {
  const [, scheme, hostname, port, path = ''] =
    /^(wss?):\/\/([^/?#@:\s]+|\[[\da-f:]+\])(?::(\d{1,5}))?(\/[^?#\s]*)?$/i.exec(text) ?? [];
  const isTls = scheme?.toLowerCase() === 'wss';
  const number = Number(port ?? (isTls ? 443 : 80));
  if (!hostname || number === 0 || !URL.canParse(text))
    throw new Error(
      `--lobby must be a ws: or wss: URL without a query, like ws://127.0.0.1:8080/play; got ${shown(text)}`,
    );
  const ports = { default: { host: `${hostname}:${number}`, hostname, port: number, is_tls: isTls } };
  return { ports, url: `${lobbyAddress({ ports }).url}${path === '/' ? '' : path}` };
}
