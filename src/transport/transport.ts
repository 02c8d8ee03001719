import { take, type Observable } from 'rxjs';
import { Direct } from '../direct/index.js';
import { anObservable, answeredAtOnce, redact, TransportError, type RequestSummary } from '../error/index.js';

/** A request, ready to send. */
export interface TransportRequest {
  readonly method: string;
  readonly url: string;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** `poll` if the service may hold the request until something is new. */
  readonly kind?: 'poll';
  /** The `watchId` of the watch whose poll this is, for the log. */
  readonly pollOf?: number;
  /** Whether the request may be sent more than once to the same effect. Default false. */
  readonly idempotent?: boolean;
  /** The maximum size of the answer's body, in bytes. Default: that of the transport. */
  readonly maxBody?: number;
  /**
   * Which server is expected to answer: a service, or a path of your own. What is known of one says
   * nothing of another.
   */
  readonly server?: string;
  /**
   * For an answer whose OK may be without content, and so could be anybody's. `plain`: as long as
   * nothing tells who has answered, only 200 or 204 with `{}` or nothing is OK. `any`: each 2xx is.
   */
  readonly emptyOk?: 'any' | 'plain';
  /**
   * Whether the request has to be completed although the page that sends it goes away. Elsewhere it
   * has no meaning.
   */
  readonly keepalive?: boolean;
  /**
   * Connections that were open before may be dead. Use a new one. It is only a hint, which browsers
   * cannot follow.
   */
  readonly needsFreshConnection?: boolean;
  /**
   * Called with the status of the answer when the first byte of its body arrives, or at the end of
   * an empty body. A slow body is no missing answer. Headers alone do not count, since a proxy may
   * send them while the service still holds the request. A transport that does not call it has to
   * deliver the whole answer within the timeout.
   */
  readonly onArrival?: (status: number) => void;
  /**
   * Called each time that the request goes out. A request may wait for its token, and is sent again
   * after a 401.
   */
  readonly onSent?: () => void;
}

/** The maximum size of an answer's body by default, in bytes. */
export const MAX_BODY = 8 * 2 ** 20;

/** An answer whose body has arrived as a whole. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly text: string;
  /** For a 401, whether nobody is signed in any more. `withToken` sets it. */
  readonly isSignedOut?: boolean;
  /**
   * Whether the service itself has answered. `undefined` if nothing tells. An OK with content is
   * its own proof, whatever this says of it. A client sets it.
   */
  readonly isFromService?: boolean | undefined;
}

/**
 * Sends a request and returns the answer. Everything in this library sends through a transport, so
 * this is the place to add your own behaviour.
 *
 * The Observable is cold: subscribing sends the request. It emits one answer and completes.
 * Unsubscribing aborts, even while the body is being read. An answer of any status is emitted, not
 * thrown. Errors: `TransportError`.
 *
 * @example
 * const traced: Transport = request =>
 *   transport(request).pipe(tap(({ status }) => console.log(request.url, status)));
 */
export type Transport = (request: TransportRequest) => Observable<TransportResponse>;

/**
 * The one answer to a request. A custom transport may emit more, even synchronously and without
 * end.
 */
export function answerOf(transport: Transport, request: TransportRequest): Observable<TransportResponse> {
  const answer$ = transport(request);
  if (answer$ instanceof Direct) return answer$;
  return answeredAtOnce('transport', answer$, anObservable).pipe(take(1));
}

/** The parts of a request that an error may reveal. */
export function summaryOf({ method, url }: TransportRequest): RequestSummary {
  return { method, url };
}

/** The error of a request whose answer is larger than its `maxBody`, or that of the transport. */
export function tooLarge(request: TransportRequest): TransportError {
  return new TransportError('too_large', 'the answer is larger than maxBody', summaryOf(request));
}

/** Whether an answer with this status sends the request somewhere else. */
export function isRedirectStatus(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304;
}

/** The error of a request whose answer is a redirect. */
export function redirected(request: TransportRequest): TransportError {
  const message = 'the answer was a redirect, which is not followed';
  return new TransportError('redirected', message, summaryOf(request));
}

/**
 * The parts of a request that must never be revealed: the token in its header, and every string in
 * its body.
 */
export function secretsOf({ headers, body }: TransportRequest): readonly string[] {
  const token = headers.authorization?.replace(/^Bearer /, '');
  return [...(token ? [token] : []), ...(body ? stringsIn(body) : [])];
}

function stringsIn(body: string): string[] {
  const strings: string[] = [];
  try {
    JSON.parse(body, (_key, value: unknown) => {
      if (typeof value === 'string') strings.push(value);
    });
  } catch {
    strings.push(body);
  }
  return strings;
}

/** Headers of an answer without these secrets, which they may quote. */
export function redactedHeaders(
  headers: TransportResponse['headers'],
  secrets: readonly string[],
): TransportResponse['headers'] {
  const get = (name: string) => {
    const value = headers.get(name);
    return value === null ? null : redact(value, secrets);
  };
  return { get };
}
