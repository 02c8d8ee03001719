import { createClient, type Client } from '../client/index.js';

/** What the connection's flags were set to. */
export interface ConnectionValues {
  readonly 'group-url'?: string | undefined;
  readonly 'matchmaker-url'?: string | undefined;
  readonly 'api-url'?: string | undefined;
  readonly insecure: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The client that a command needs for one of the services; throws an error that says what to set. */
export function clientOf(
  service: 'group' | 'matchmaker' | 'api',
  values: ConnectionValues,
  env: Environment,
): Client {
  const variable = `LOBBY_${service.toUpperCase()}_URL`;
  const url = values[`${service}-url`] ?? env[variable];
  if (!url) throw new Error(`where is the service? Set ${variable}, or give --${service}-url`);
  const token = env.LOBBY_TOKEN;
  if (!token) throw new Error('whose token? Set LOBBY_TOKEN');
  // The command asks this service alone: the other addresses are never used.
  const urls = { groupUrl: url, matchmakerUrl: url, apiUrl: url };
  return createClient({ ...urls, token, insecure: values.insecure });
}
