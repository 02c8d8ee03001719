/** The token in a URL, and the URL without it. */
export interface UrlToken {
  /** Undefined if there is none, empty if there is more than one. */
  readonly token: string | undefined;
  readonly url: string;
}

/** Removes the token from a request's path and query, and leaves everything else unchanged. */
export function urlToken(pathAndQuery: string, parameter: string | false): UrlToken {
  const at = pathAndQuery.indexOf('?');
  if (parameter === false || at < 0) return { token: undefined, url: pathAndQuery };
  const tokens: string[] = [];
  const rest = pathAndQuery
    .slice(at + 1)
    .split('&')
    .filter(pair => {
      const [[name, value] = []] = new URLSearchParams(pair);
      if (name !== parameter) return true;
      tokens.push(value ?? '');
      return false;
    });
  const path = pathAndQuery.slice(0, at);
  return {
    token: tokens.length > 1 ? '' : tokens[0],
    url: rest.length > 0 ? `${path}?${rest.join('&')}` : path,
  };
}
