/** The token in a URL, and the URL without it. */
export interface UrlToken {
  /** Undefined where there is none at all; empty where there are several. */
  readonly token: string | undefined;
  readonly url: string;
}

/** Takes the token out of a request's path and query; the rest stays as it is. */
export function urlToken(whole: string, parameter: string | false): UrlToken {
  const at = whole.indexOf('?');
  if (parameter === false || at < 0) return { token: undefined, url: whole };
  const tokens: string[] = [];
  const rest = whole
    .slice(at + 1)
    .split('&')
    .filter(pair => {
      const [[name, value] = []] = new URLSearchParams(pair);
      if (name !== parameter) return true;
      tokens.push(value ?? '');
      return false;
    });
  const path = whole.slice(0, at);
  return {
    token: tokens.length > 1 ? '' : tokens[0],
    url: rest.length > 0 ? `${path}?${rest.join('&')}` : path,
  };
}
