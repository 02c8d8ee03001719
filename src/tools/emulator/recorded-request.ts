import { defer, finalize, tap } from 'rxjs';
import type { Handler } from './service/index.js';

/** A request that the emulator received, and its outcome so far. */
export interface RecordedRequest {
  readonly method: string;
  /** The path and query. For in-process requests it starts with the scheme and host. */
  readonly url: string;
  /** The bearer token. `undefined` if the request had none. */
  readonly token: string | undefined;
  /** The body as text. `undefined` if the request had none. */
  readonly body: string | undefined;
  /** When it was received, in ms since 1970. */
  readonly at: number;
  /** The status of the answer. `undefined` before the answer, and if the request was aborted. */
  readonly status: number | undefined;
  /** Whether it has neither been answered nor aborted yet. */
  readonly pending: boolean;
}

/**
 * How many requests to keep. It is enough for any test. An emulator that runs for weeks needs a
 * limit.
 */
const MAX_RECORDED = 10_000;

/** Wraps a handler so that each request is appended to `requests`. */
export function withRequests(handle: Handler, now: () => number, requests: RecordedRequest[]): Handler {
  return request =>
    defer(() => {
      const { method, url, headers, body } = request;
      const record = {
        method,
        url,
        body,
        token: headers.authorization?.replace(/^Bearer /, ''),
        at: now(),
        status: undefined as number | undefined,
        pending: true,
      };
      requests.push(record);
      if (requests.length > MAX_RECORDED) requests.shift();
      return handle(request).pipe(
        tap(({ status }) => {
          record.status = status;
        }),
        finalize(() => {
          record.pending = false;
        }),
      );
    });
}
