import { createClient, type Client } from '../../client/index.js';
import { InputError, isInputError } from '../../error/index.js';
import type { Transport } from '../../transport/index.js';

/** The flags of all commands that send requests to the service, for `parseFlags`. */
export const CONNECTION = {
  url: { type: 'string' },
  'group-url': { type: 'string' },
  'matchmaker-url': { type: 'string' },
  'api-url': { type: 'string' },
  insecure: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** The values of these flags as returned by `parseFlags`. */
export interface ConnectionValues {
  readonly url?: string | undefined;
  readonly 'group-url'?: string | undefined;
  readonly 'matchmaker-url'?: string | undefined;
  readonly 'api-url'?: string | undefined;
  readonly insecure: boolean;
}

/**
 * Creates the client for a command that uses one of the services. It uses the URL of that service
 * if one was given, otherwise the URL of all services. Flags take precedence over the environment.
 * The token comes only from the environment, because other users of the machine can see
 * command-line arguments.
 *
 * Throws an error that names the flag or the variable if the URL or the token is missing or
 * invalid.
 *
 * @example
 * clientOf('group', values, process.env).group.members(group_id).subscribe();
 */
export function clientOf(
  service: 'group' | 'matchmaker' | 'api',
  values: ConnectionValues,
  env: Readonly<Record<string, string | undefined>>,
  transport?: Transport,
): Client {
  const [source, url] = urlOf(service, values, env);
  const token = env.LOBBY_RX_TOKEN;
  if (!token) throw new Error('the token is missing: set LOBBY_RX_TOKEN');
  try {
    return createClient({
      [`${service}Url`]: url,
      token,
      insecure: values.insecure,
      ...(transport && { transport }),
    });
  } catch (error) {
    if (!isInputError(error)) throw error;
    // The library also accepts a function or `false`, but a variable is always a text.
    if (error.argument === 'token') throw new InputError('LOBBY_RX_TOKEN', 'a bearer token', error.got);
    const isOfAll = source === '--url' || source === 'LOBBY_RX_URL';
    const expected = error.expected.replace('insecure: true', '--insecure');
    throw new InputError(
      source,
      isOfAll ? expected.replace(`//${service}.example`, '//api.example') : expected,
      error.got,
    );
  }
}

/**
 * The URL of a service as it was given, and the name of its flag or variable. Throws an error if no
 * URL was given.
 */
export function urlOf(
  service: 'group' | 'matchmaker' | 'api',
  values: ConnectionValues,
  env: Readonly<Record<string, string | undefined>>,
): readonly [source: string, url: string] {
  const variable = `LOBBY_RX_${service.toUpperCase()}_URL`;
  const sources: readonly (readonly [name: string, url: string | undefined])[] = [
    [`--${service}-url`, values[`${service}-url`]],
    ['--url', values.url],
    [variable, env[variable]],
    ['LOBBY_RX_URL', env.LOBBY_RX_URL],
  ];
  for (const [name, url] of sources) {
    // An empty flag is a mistake. An empty variable counts as not set.
    if (url || (url !== undefined && name.startsWith('--'))) return [name, url];
  }
  throw new Error(`the URL of the service is missing: set LOBBY_RX_URL or ${variable}, or pass --url`);
}
