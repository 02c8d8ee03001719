import { defer, finalize, tap } from 'rxjs';
import type { Handler } from './handler.js';
import type { RecordedRequest } from './recorded-request.js';

/** So many requests are remembered: enough for any test, and no leak in an emulator that runs for weeks. */
const MOST = 10_000;

/** A handler that keeps a record of what it is asked in `requests`, the oldest first. */
export function recordRequests(handle: Handler, now: () => number, requests: RecordedRequest[]): Handler {
  return request =>
    defer(() => {
      const token = request.headers.authorization?.replace(/^Bearer /, '');
      const { method, url, body } = request;
      const record = {
        method,
        url,
        token,
        body,
        at: now(),
        status: undefined as number | undefined,
        pending: true,
      };
      requests.push(record);
      if (requests.length > MOST) requests.shift();
      return handle(request).pipe(
        tap(({ status }) => (record.status = status)),
        finalize(() => (record.pending = false)),
      );
    });
}
