import { describe, InputError } from '../error/index.js';

declare const URL: new (url: string) => {
  readonly protocol: string;
  readonly hostname: string;
  readonly origin: string;
  readonly pathname: string;
  readonly username: string;
  readonly password: string;
  readonly search: string;
  readonly hash: string;
};

/** Checks a base URL and removes trailing slashes. Throws an `InputError` that says what to change. */
export function baseUrl(name: string, value: unknown, insecure: boolean): string {
  const url = parse(name, value);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new InputError(name, 'an http: or https: URL', url.protocol);
  }
  if (url.username || url.password)
    throw new InputError(name, 'a URL without a user and password', 'one with them');
  if (url.search || url.hash) throw new InputError(name, "a URL without '?' and '#'", 'one with them');
  if (url.protocol === 'http:' && !insecure && !isLoopback(url.hostname)) {
    const rule =
      'an https: URL, since http: exposes the token to everyone on the network (insecure: true allows it)';
    throw new InputError(name, rule, url.origin);
  }
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

function parse(name: string, value: unknown) {
  try {
    if (typeof value === 'string') return new URL(value);
  } catch {
    // Replaced by our own error below: the platform's error quotes the value.
  }
  // Never quoted: it may be a token that was put here by mistake.
  throw new InputError(name, "an absolute URL, like 'https://group.example.com'", describe(value));
}

function isLoopback(host: string): boolean {
  return (
    host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host)
  );
}
