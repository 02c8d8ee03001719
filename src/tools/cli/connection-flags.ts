import { createClient, type Client, type ClientConfig } from '../../client/index.js';
import { InputError, isInputError } from '../../error/index.js';

/** A part of the service that may have a URL of its own. `api` has the live events. */
type Service = 'group' | 'matchmaker' | 'api';

/**
 * The flags of all commands that send requests to the service, for `parseFlags`. Each command adds
 * `--group-url`, `--matchmaker-url` or `--api-url` for the services that it uses.
 */
export const CONNECTION_FLAGS = {
  url: { type: 'string' },
  insecure: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** The values of the flags that give the URL of a service, as returned by `parseFlags`. */
type UrlValues<S extends Service> = Readonly<Record<'url' | `${S}-url`, string | undefined>>;

/** The values of the flags that connect to a service, as returned by `parseFlags`. */
export type ConnectionValues<S extends Service> = UrlValues<S> & { readonly insecure: boolean };

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
 * clientOf('group', values).group.members(group_id).subscribe();
 */
export function clientOf<S extends Service>(
  service: S,
  values: ConnectionValues<S>,
  config: Pick<ClientConfig, 'transport' | 'isFromService'> = {},
): Client {
  const { source, url } = urlOf(service, values);
  const token = process.env.LOBBY_RX_TOKEN;
  if (!token) throw new Error('the token is missing: set LOBBY_RX_TOKEN');
  try {
    return createClient({
      [`${service}Url`]: url,
      token,
      insecure: values.insecure,
      ...config,
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
export function urlOf<S extends Service>(
  service: S,
  values: UrlValues<S>,
): { readonly source: string; readonly url: string } {
  const variable = `LOBBY_RX_${service.toUpperCase()}_URL`;
  const sources = [
    { source: `--${service}-url`, url: values[`${service}-url`] },
    { source: '--url', url: values.url },
    { source: variable, url: process.env[variable] },
    { source: 'LOBBY_RX_URL', url: process.env.LOBBY_RX_URL },
  ];
  for (const { source, url } of sources) {
    // An empty flag is a mistake. An empty variable counts as not set.
    const isGiven = url !== undefined && (url !== '' || source.startsWith('--'));
    if (isGiven) return { source, url };
  }
  throw new Error(`the URL of the service is missing: set LOBBY_RX_URL or ${variable}, or pass --url`);
}
