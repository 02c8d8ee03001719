/** A token in a URL, as far as it is one, and the URL without it. */
export interface UrlToken {
  /** Undefined where there is none at all; empty where there are several. */
  readonly token: string | undefined;
  readonly url: string;
}

/** Takes the token out of a request's path and query. */
export function urlToken(whole: string, name: string | false): UrlToken {
  const at = whole.indexOf('?');
  if (name === false || at < 0) return { token: undefined, url: whole };
  const query = new URLSearchParams(whole.slice(at + 1));
  const [token, second] = query.getAll(name);
  query.delete(name);
  const path = whole.slice(0, at);
  return {
    token: second === undefined ? token : '',
    url: query.size > 0 ? `${path}?${query}` : path,
  };
}
