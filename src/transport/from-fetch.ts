import { platformFetch } from '#fetch';
import { aFunction, checkOptions, type Options } from '../error/index.js';
import { sendByFetch, type FetchLike } from './send-by-fetch.js';
import { BODY_OPTIONS, transportOver, type BodyConfig } from './transport-over.js';
import type { Transport } from './transport.js';

/** The options of {@link fromFetch}. */
export interface FetchConfig extends BodyConfig {
  /**
   * The `fetch` to use. Default: cross-fetch with keep-alive in Node, `node:http` in Bun, the
   * platform's `fetch` elsewhere.
   */
  readonly fetch?: FetchLike;
}

const OPTIONS: Options<FetchConfig> = { ...BODY_OPTIONS, fetch: aFunction };

/**
 * Creates a {@link Transport} over `fetch`. Each subscription sends one request with its own
 * AbortController. Unsubscribing aborts it, even while the body is being read. Redirects and bodies
 * larger than `maxBody` are errors.
 *
 * Errors: `TransportError`. Throws an `InputError` if the config is invalid.
 *
 * @example
 * const transport = fromFetch({ maxBody: 65_536 });
 */
export function fromFetch(config: FetchConfig = {}): Transport {
  checkOptions(config, OPTIONS);
  const { fetch, ...limits } = config;
  return transportOver(fetch ? sendByFetch(fetch) : platformFetch(), limits);
}
