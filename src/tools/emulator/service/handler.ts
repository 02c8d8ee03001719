import type { Observable } from 'rxjs';
import { tryOr } from '../../../error/index.js';

/** A request to the emulator, over HTTP or from the same process. */
export interface EmulatedRequest {
  readonly method: string;
  /** The path and query. A scheme and host are ignored. */
  readonly url: string;
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * How much of an answer arrives: all of it (`whole`), nothing (`…_before_headers`), or the headers
 * and the first half of the body (`…_in_body`). After that the connection is reset, closed, or
 * stays open without another byte (`stall_…`). With `dead_pool`, all connections stay open without
 * another byte.
 */
export type Delivery =
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
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How much of it arrives. Default `whole`. */
  readonly delivery?: Delivery;
}

/**
 * A service as a function. The Observable is cold: subscribing sends the request, one response is
 * emitted, then it completes; for a watch, that takes up to `blockTime`. Unsubscribing aborts the
 * request.
 */
export type Handler = (request: EmulatedRequest) => Observable<EmulatedResponse>;

/** The URL of a request; undefined if it is none. */
export function urlOf({ url }: Pick<EmulatedRequest, 'url'>): URL | undefined {
  // Not `new URL(url, base)`: if the path starts with two slashes, it would parse the first segment
  // as a host.
  return tryOr(() => new URL(url.startsWith('/') ? `http://emulator${url}` : url), undefined);
}
