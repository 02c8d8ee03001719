import type { Observable } from 'rxjs';

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
 * How a request is carried: text out, text in. The seam under everything, and the place to put something of your own.
 *
 * The Observable is cold: subscribing sends, one answer flows, then it completes; unsubscribing aborts, the reading of
 * the body included. An answer of any status is an answer; the errors are `TransportError`s.
 *
 * @example
 * const logged: Transport = request => transport(request).pipe(tap(({ status }) => console.log(request.url, status)));
 */
export type Transport = (request: TransportRequest) => Observable<TransportResponse>;
