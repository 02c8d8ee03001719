import { concat, defer, EMPTY, identity, ignoreElements, tap, type Observable } from 'rxjs';
import { pages, request as send, type Endpoint, type PagesConfig } from '../endpoint/index.js';
import {
  aBoolean,
  checkOptions,
  definedOptions,
  fieldsOf,
  positiveInteger,
  type Options,
} from '../error/index.js';
import { backoff, type RetryConfig } from '../stream/index.js';
import type { ClientContext } from './context.js';

/** The options of `Client.request`. */
export interface RequestConfig {
  /**
   * Whether the request has to be completed although the page that sends it goes away. Default
   * false.
   */
  readonly keepalive?: boolean;
  /** The maximum size of the answer's body, in bytes. Default: that of the transport. */
  readonly maxBody?: number;
}

const REQUEST_OPTIONS: Options<RequestConfig> = { keepalive: aBoolean, maxBody: positiveInteger };

/**
 * Sends one request to an endpoint (see `Client.request`). Throws an `InputError` if the config is
 * invalid.
 */
export function request<Input, Answer>(
  context: ClientContext,
  endpoint: Endpoint<Input, Answer>,
  input: NoInfer<Input>,
  config?: RequestConfig,
): Observable<Answer> {
  checkOptions(config, REQUEST_OPTIONS);
  const { watch_index } = fieldsOf(input);
  const options = definedOptions(config);
  const sent$ =
    watch_index == null
      ? send(context.plain, endpoint, input, options)
      : send(context.blocking, endpoint, input, { ...options, kind: 'poll' });
  const route = context.quota.of(endpoint);
  if (!route) return sent$;
  // The request counts when it is sent, and is never delayed.
  return defer(() => {
    route.count();
    return sent$.pipe(tap({ error: (error: unknown) => route.heed(error) }));
  });
}

/** The options of reading the pages of an endpoint. */
export interface ClientPagesConfig<P> extends PagesConfig<P> {
  /**
   * Retries each page by itself. `{}` takes the defaults of `backoff`. Default: the first error
   * ends the paging.
   */
  readonly backoff?: RetryConfig;
}

/** Reads the pages of an endpoint. */
export function endpointPages<Input, Answer>(
  context: ClientContext,
  endpoint: Endpoint<Input, Answer>,
  input: Omit<Input, 'anchor'>,
  config: ClientPagesConfig<Answer> = {},
): Observable<Answer> {
  const { backoff: retrying, ...paging } = config;
  const { scheduler, testing } = context.watch;
  const retried = retrying
    ? backoff<Answer>({ ...(definedOptions({ scheduler, testing }) as RetryConfig), ...retrying })
    : identity;
  const page = (anchor: string | undefined) =>
    request(context, endpoint, { ...input, anchor } as Input).pipe(retried);
  return context.life.pagesWhileOpen(pages(page, paging), endpoint);
}

/** Reads pages for a watch. Each waits for the quota of its route. */
export function refreshedPages<Input, Answer>(
  context: ClientContext,
  endpoint: Endpoint<Input, Answer>,
  input: Omit<Input, 'anchor'>,
  paging: PagesConfig<Answer>,
): Observable<Answer> {
  const route = context.quota.of(endpoint);
  const room$ = route?.take('page').pipe(ignoreElements()) ?? EMPTY;
  // Like a poll, such a page survives a 401, and is no pending task of Angular.
  const page = (anchor: string | undefined) =>
    concat(room$, send(context.plain, endpoint, { ...input, anchor } as Input, { kind: 'poll' })).pipe(
      tap({ error: (error: unknown) => route?.heed(error) }),
    );
  return context.life.pagesWhileOpen(pages(page, paging), endpoint);
}
