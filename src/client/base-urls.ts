import type { BaseUrls } from '../endpoint/index.js';
import { describe, InputError } from '../error/index.js';
import type { CheckedConfig } from './client-config.js';

/**
 * The base URL of each service in a config. Throws an `InputError` that says what to change, if
 * there is none, or one is invalid.
 */
export function resolveBaseUrls(config: CheckedConfig): BaseUrls {
  const { insecure = false } = config;
  const all = config.url === undefined ? undefined : baseUrl('url', config.url, insecure);
  const baseUrls: Record<string, string> = {};
  for (const service of ['group', 'matchmaker', 'api'] as const) {
    const name = `${service}Url` as const;
    const url = config[name] === undefined ? all : baseUrl(name, config[name], insecure);
    if (url !== undefined) baseUrls[service] = url;
  }
  if (Object.keys(baseUrls).length > 0) return baseUrls;
  throw new InputError('url', "the service's base URL; or give groupUrl, matchmakerUrl, apiUrl", 'nothing');
}

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

/**
 * Checks a base URL and removes trailing slashes. Throws an `InputError` that says what to change.
 */
export function baseUrl(name: string, value: unknown, insecure: boolean): string {
  const url = parse(name, value);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new InputError(name, 'an http: or https: URL', describe(value));
  }
  rejectPart(name, url.username, 'a user');
  rejectPart(name, url.password, 'a password');
  rejectPart(name, url.search, 'a query');
  rejectPart(name, url.hash, 'a fragment');
  if (url.protocol === 'http:' && !insecure && !isLoopback(url.hostname)) {
    const rule = 'an https: URL, since http: exposes the token (insecure: true allows it)';
    throw new InputError(name, rule, url.origin);
  }
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

function rejectPart(name: string, part: string, words: string): void {
  if (part) throw new InputError(name, 'an origin and a path, and nothing else', `one with ${words}`);
}

function parse(name: string, value: unknown) {
  if (typeof (globalThis as { URL?: unknown }).URL !== 'function')
    throw new InputError(name, 'used with a global URL: load a polyfill first', 'an engine without one');
  try {
    if (typeof value === 'string') return new URL(value);
  } catch {
    // Replaced by our own error below, since the platform's error quotes the value.
  }
  // The value is never quoted, since it may be a token that was put here by mistake.
  throw new InputError(
    name,
    `an absolute URL, like 'https://${/^(.+)Url$/.exec(name)?.[1] ?? 'api'}.example.com'`,
    describe(value),
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}
