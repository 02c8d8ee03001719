import type { Observable } from 'rxjs';
import { request, type Endpoint, type EndpointAnswer, type EndpointInput } from '../endpoint/index.js';
import {
  pages,
  watchSignals,
  type PagesConfig,
  type WatchConfig,
  type WatchSignal,
} from '../stream/index.js';
import type { ClientSettings } from './client-settings.js';

/** The three ways to use an endpoint, whichever it is: everything that a client does is one of these. */
export interface Calls {
  readonly request: <E extends Endpoint>(
    endpoint: E,
    input: EndpointInput<E>,
  ) => Observable<EndpointAnswer<E>>;
  readonly signals: <E extends Endpoint>(
    endpoint: E,
    input: Omit<EndpointInput<E>, 'watch_index'>,
    config?: WatchConfig<EndpointAnswer<E>>,
  ) => Observable<WatchSignal<EndpointAnswer<E>>>;
  readonly pages: <E extends Endpoint>(
    endpoint: E,
    input: Omit<EndpointInput<E>, 'anchor'>,
    config?: PagesConfig<EndpointAnswer<E>>,
  ) => Observable<EndpointAnswer<E>>;
}

/** The calls of a client with these settings. */
export function calls({ plain, blocking, polling, watch }: ClientSettings): Calls {
  const ask: Calls['request'] = (endpoint, input) => {
    const { watch_index } = Object(input) as { watch_index?: unknown };
    return request(watch_index == null ? plain : blocking, endpoint, input);
  };
  return {
    request: ask,
    signals: <E extends Endpoint>(endpoint: E, input: object, config?: WatchConfig<EndpointAnswer<E>>) =>
      watchSignals(
        watch_index => request(polling, endpoint, { ...input, watch_index } as unknown as EndpointInput<E>),
        { ...(watch as WatchConfig<EndpointAnswer<E>>), ...config },
      ),
    pages: <E extends Endpoint>(endpoint: E, input: object, config?: PagesConfig<EndpointAnswer<E>>) =>
      pages(anchor => ask(endpoint, { ...input, anchor } as unknown as EndpointInput<E>), config),
  };
}
