import { asyncScheduler, tap, type Observer } from 'rxjs';
import { Direct, DirectOperator } from '../direct/index.js';
import { aPlainValue, atOnce, guarded, type RequestSummary } from '../error/index.js';
import { explainFailure } from './explain-failure.js';
import {
  answerOf,
  summaryOf,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.js';

/**
 * An entry of the request log. It never contains tokens. Headers and bodies are left out, and
 * errors contain none.
 *
 * - `request`: a request was sent.
 * - `answer`, `failure` or `abort`: how the request ended. `ms` is how long it took. An answer of
 *   any status is an `answer`. Each `request` has one of them.
 * - `not_sent`: a request was not sent, or not sent again, because there was no token for it. A
 *   request that was not sent for another reason, such as Node's permissions, is a `failure`.
 * - `foreign`: something in front of the service has given the last answer, see `isFromService`.
 *   Or the service has, but without the ray id that it used to send.
 */
export type RequestLogEntry = RequestSummary & {
  /** The time, in ms since 1970. */
  readonly at: number;
  /** The `watchId` of the watch whose poll the request is. Absent if it is no poll of a watch. */
  readonly pollOf?: number;
} & (
    | ({
        /**
         * The number of the request, starting at 1. All entries of one request have the same
         * number.
         */
        readonly requestId: number;
      } & (
        | { readonly kind: 'request' }
        | { readonly kind: 'answer'; readonly status: number; readonly ms: number }
        | { readonly kind: 'failure'; readonly error: unknown; readonly ms: number }
        | { readonly kind: 'abort'; readonly ms: number }
      ))
    | { readonly kind: 'not_sent'; readonly error: unknown }
    | { readonly kind: 'foreign'; readonly status: number }
  );

type RequestEnd =
  | { readonly kind: 'abort' }
  | { readonly kind: 'answer'; readonly status: number }
  | { readonly kind: 'failure'; readonly error: unknown };

/**
 * Adds logging to a {@link Transport}. `log` is called when a request is sent, and once when it is
 * answered, fails or is aborted. Errors thrown by `log` are swallowed. `now` is the time of an
 * entry. `elapsed` is a clock that is never set back, for durations. Both are in ms.
 *
 * @example
 * const transport = withLog(fromFetch(), entry => console.log(entry.requestId, entry.kind));
 */
export function withLog(
  transport: Transport,
  log: (entry: RequestLogEntry) => void,
  now: () => number = () => asyncScheduler.now(),
  elapsed: () => number = () => performance.now(),
): Transport {
  const write = guarded(log);
  const clock = { now: atOnce('now', now, aPlainValue), elapsed: atOnce('elapsed', elapsed, aPlainValue) };
  let requests = 0;
  return request =>
    new Direct(observer => {
      const start = clock.elapsed();
      const common = { ...aboutRequest(request), requestId: ++requests };
      write({ ...common, kind: 'request', at: clock.now() });
      const logEnd = (end: RequestEnd) =>
        write({ ...common, ...end, at: clock.now(), ms: clock.elapsed() - start });
      // A transport that throws has failed, too.
      return new LoggedRequest(observer, request, logEnd).begin(() => answerOf(transport, request));
    });
}

/** A request whose end is logged. */
class LoggedRequest extends DirectOperator<TransportResponse> {
  #isLogged = false;

  constructor(
    observer: Observer<TransportResponse>,
    private readonly request: TransportRequest,
    private readonly logEnd: (end: RequestEnd) => void,
  ) {
    super(observer);
  }

  next(response: TransportResponse): void {
    this.#end({ kind: 'answer', status: response.status });
    this.emit(response);
  }

  override error(error: unknown): void {
    this.#end({ kind: 'failure', error: explainFailure(error, this.request) });
    super.error(error);
  }

  override unsubscribe(): void {
    this.#end({ kind: 'abort' });
    super.unsubscribe();
  }

  /**
   * Only the first end counts, since a request that has been answered is unsubscribed from, too.
   */
  #end(end: RequestEnd): void {
    if (this.#isLogged) return;
    this.#isLogged = true;
    this.logEnd(end);
  }
}

/**
 * Adds entries for answers that do not come from the service to the transport of a client, which
 * knows that.
 */
export function withLogOfForeign(
  transport: Transport,
  log: (entry: RequestLogEntry) => void,
  now: () => number,
): Transport {
  const write = guarded(log);
  return request => {
    const logIfForeign = ({ status, isFromService }: TransportResponse) => {
      if (isFromService === false) write({ ...aboutRequest(request), kind: 'foreign', at: now(), status });
    };
    return transport(request).pipe(tap(logIfForeign));
  };
}

/**
 * Writes an entry for a request that is not sent for want of a token. Whatever wants the token
 * calls it, since `not_sent` has other causes, too.
 */
export function logUnsent(
  log: (entry: RequestLogEntry) => void,
  now: () => number,
): (request: TransportRequest, error: unknown) => void {
  const write = guarded(log);
  return (request, error) => write({ ...aboutRequest(request), kind: 'not_sent', at: now(), error });
}

function aboutRequest(request: TransportRequest) {
  const { pollOf } = request;
  return { ...summaryOf(request), ...(pollOf && { pollOf }) };
}

declare const performance: { now(): number };
