import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Guard } from '../../../error/index.js';
import { callHook } from '../call-hook.js';
import type { GateSettings } from '../lobby-gate-config.js';

/** What an upgrade request says, with the token apart from the rest. */
export interface TokenRequest {
  /** Undefined if there is none, empty if there is one that cannot be valid. */
  readonly token: string | undefined;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** Takes the token out of a request; undefined if the hook that does so failed. */
export type TokenSource = (request: IncomingMessage) => TokenRequest | undefined;

export function createTokenSource(settings: Pick<GateSettings, 'token' | 'log' | 'scheduler'>): TokenSource {
  const { token: source } = settings;
  return request => {
    const { url = '/', headers } = request;
    if (source === 'query') return { headers, ...fromQuery(url) };
    const read = () => {
      const token: unknown = source(request);
      // A promise is no token. It has to be seen as one, since it may reject.
      return typeof token === 'object' ? token : { token };
    };
    const answer = callHook('token', read, tokenAnswer, settings);
    return answer && { url, headers, ...answer };
  };
}

/** In an object, so that no token differs from a hook that failed. */
const tokenAnswer: Guard<{ token: string | undefined }> = {
  name: 'a string or undefined',
  is: (u): u is { token: string | undefined } => {
    const { token, ...more } = Object(u) as { token?: unknown };
    if (!Object.hasOwn(Object(u) as object, 'token') || Object.keys(more).length > 0) return false;
    return token === undefined || typeof token === 'string';
  },
};

const PARAMETER = 'token';

/** Leaves everything else in the query unchanged. */
function fromQuery(pathAndQuery: string): Omit<TokenRequest, 'headers'> {
  const at = pathAndQuery.indexOf('?');
  if (at < 0) return { token: undefined, url: pathAndQuery };
  const query = pathAndQuery.slice(at);
  const tokens: string[] = [];
  // Without the empty ones.
  const parameters = new URLSearchParams(query).entries();
  const rest = query
    .slice(1)
    .split('&')
    .filter(pair => {
      const [name, value = ''] = pair === '' ? [] : (parameters.next().value ?? []);
      if (name === PARAMETER) tokens.push(value);
      return name !== PARAMETER;
    });
  const path = pathAndQuery.slice(0, at);
  return {
    token: tokens.length > 1 ? '' : tokens[0],
    url: rest.length > 0 ? `${path}?${rest.join('&')}` : path,
  };
}
