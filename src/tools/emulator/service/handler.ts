import type { Observable } from 'rxjs';
import { tryOr } from '../../../error/index.js';

/** A request to the emulator, over HTTP or from the same process. */
export interface EmulatedRequest {
  readonly method: string;
  /** The path and query. A scheme and host are ignored. */
  readonly url: string;
  /** The headers by name. The names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * How much of an answer arrives. It is all of it (`whole`), nothing (`…_before_headers`), or the
 * headers and the first half of the body (`…_in_body`). After that the connection is reset, closed,
 * or stays open without another byte (`stall_…`). With `dead_pool`, all connections stay open
 * without another byte.
 */
export type ResponseDelivery =
  | 'whole'
  | 'reset_before_headers'
  | 'reset_in_body'
  | 'close_in_body'
  | 'stall_before_headers'
  | 'stall_in_body'
  | 'dead_pool';

/** An answer of the emulator. */
export interface EmulatedResponse {
  readonly status: number;
  /** The headers by name. The names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How much of it arrives. Default `whole`. */
  readonly delivery?: ResponseDelivery;
}

/**
 * A service as a function. The Observable is cold: subscribing sends the request. It emits one
 * response, then it completes. For a watch, that takes up to `blockTime`. Unsubscribing aborts the
 * request.
 */
export type Handler = (request: EmulatedRequest) => Observable<EmulatedResponse>;

/** The URL of a request. `undefined` if it is not a URL. */
export function urlOf({ url }: Pick<EmulatedRequest, 'url'>): URL | undefined {
  // Not `new URL(url, base)`, which parses the first segment of a path as a host if the path starts
  // with two slashes.
  return tryOr(() => new URL(url.startsWith('/') ? `http://emulator${url}` : url), undefined);
}
