import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from '@nats-io/transport-node';
import { ExitError, EXIT } from '../exit-code.js';
import { shown } from '../parse-flags.js';

/** How long to wait for the server, in ms. */
const CONNECTING_MS = 10_000;

/** How to log in to NATS. */
export interface NatsLogin {
  readonly options: ConnectionOptions;
  /** The content of a `.creds` file. */
  readonly creds: Uint8Array | undefined;
}

/**
 * How to log in to NATS: the server of `--nats` or `NATS_URL`, and the variables that the program
 * `nats` takes, too. Secrets come only from variables and files, because other users of the machine
 * can see arguments. Throws an error that names the flag or the variable if one is invalid.
 */
export function natsLogin(flag: string | undefined, env: NodeJS.ProcessEnv): NatsLogin {
  const source = flag === undefined ? 'NATS_URL' : '--nats';
  const text = flag ?? env.NATS_URL;
  if (flag === undefined && !text)
    throw new Error('the address of NATS is missing: set NATS_URL, or pass --nats');
  const servers = (text ?? '').split(',').map(server => serverIn(source, server));
  const user = env.NATS_USER;
  const pass = env.NATS_PASSWORD;
  if (pass && !user) throw new Error('NATS_USER is missing: NATS_PASSWORD is only used with it');
  const ca = fileIn('NATS_CA', env);
  const cert = fileIn('NATS_CERT', env);
  const key = fileIn('NATS_KEY', env);
  const tls = { ...(ca && { ca: ca.toString() }), ...(cert && { cert: cert.toString() }) };
  const withKey = { ...tls, ...(key && { key: key.toString() }) };
  return {
    options: {
      servers,
      ...loginOf(user, pass),
      ...(Object.keys(withKey).length > 0 && { tls: withKey }),
      name: 'lobby-rx fleet',
      timeout: CONNECTING_MS,
      reconnect: false,
    },
    creds: fileIn('NATS_CREDS', env),
  };
}

/** Like `nats`: a user without a password is a token. */
function loginOf(user: string | undefined, pass: string | undefined): ConnectionOptions {
  if (!user) return {};
  return pass ? { user, pass } : { token: user };
}

/** The address of one server, without a user or a password. */
function serverIn(source: string, text: string): string {
  const { protocol, hostname, username, password, pathname, search, hash } = urlOf(text) ?? {};
  if (protocol === 'nats:' && hostname && !username && !password && !pathname && !search && !hash)
    return text;
  throw new Error(
    `${source} must be like nats://127.0.0.1:4222, without a user or a password, which NATS_USER and NATS_PASSWORD have; got ${shown(text)}`,
  );
}

function urlOf(text: string): URL | undefined {
  // Otherwise URL would leave out spaces, and host:port would be a scheme.
  return /^nats:\/\/\S+$/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}

/** The content of the file that a variable names. `undefined` if it is not set. */
function fileIn(variable: string, env: NodeJS.ProcessEnv): Buffer | undefined {
  const path = env[variable];
  if (!path) return undefined;
  try {
    return readFileSync(path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new ExitError(`the file of ${variable} cannot be read: ${code}`, EXIT.usage);
  }
}
