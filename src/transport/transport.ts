import type { Observable } from 'rxjs';
import type { RequestSummary } from '../error/index.js';

/** A request, ready to be sent. */
export interface TransportRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer, read to its end. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly text: string;
}

/**
 * How a request is carried: text out, text in. It is the seam under everything, and the place to put something of your own.
 *
 * The Observable is cold: subscribing sends the request, one answer flows, then it completes. Unsubscribing aborts, even
 * while the body is being read. An answer of any status is an answer; the errors are `TransportError`s.
 *
 * @example
 * const traced: Transport = request => transport(request).pipe(tap(({ status }) => console.log(request.url, status)));
 */
export type Transport = (request: TransportRequest) => Observable<TransportResponse>;

/** The part of a request that an error may show. */
export function summaryOf({ method, url }: TransportRequest): RequestSummary {
  return { method, url };
}

/** The parts of a request that must never be shown: the token of its header, and every string in its body. */
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
