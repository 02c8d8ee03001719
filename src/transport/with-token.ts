import {
  asyncScheduler,
  Observable,
  take,
  type SchedulerLike,
  type Subscriber,
  type Subscription,
} from 'rxjs';
import {
  checkArgument,
  isFromService,
  redact,
  redactBody,
  schedulerLike,
  UnauthorizedError,
} from '../error/index.js';
import { errorBodyOf } from '../protocol/index.js';
import { explainFailure } from './explain-failure.js';
import { tokenSource, type Token, type TokenSource } from './token-source.js';
import {
  secretsOf,
  summaryOf,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.js';

/** A request is sent so often at most: with its token, with another that has replaced it, with one that was renewed for it. */
const MAX_SENDS = 3;

/** A 401 that takes so long, in ms, is that of a poll whose token expired while the service held it, and does not count. */
const HELD_AFTER = 2_000;

/** How many rejected tokens are remembered. A provider that still gives one gives one of the last. */
const REMEMBERED = 20;

/**
 * Adds a bearer token to each request of a {@link Transport} (interface document, 5).
 *
 * `get` is called before each request. After a 401 it is called again: if it gives another token, the request is sent with that; if it
 * gives the same one, `renew` is called, once for all who wait, and the request is sent with what it gives. A token that the service has
 * rejected is never sent again, if there is a `renew`. A request is sent three times at most; a 401 of a poll after 2 s or more does not count.
 *
 * Errors, besides those of the transport: an `UnauthorizedError` if `get` gives `null`, or only what the service has rejected. If
 * `get` or `renew` throws, gives no valid token, or takes longer than 15 s, a `TransportError` whose reason is `not_sent`; its
 * `cause` is what was thrown, without what may be a token. All who ask within a second get the same error. A last 401 is emitted
 * as the answer, with `isSignedOut` if `renew` gave `null`.
 *
 * The token is sent only in the header. If an error answer quotes the token or a string of the request's body, that is
 * redacted. `get` and `renew` must not send requests through the same client, since these would wait for the token.
 *
 * Throws an `InputError` if the token or the scheduler is invalid.
 *
 * @example
 * const transport = withToken(fromFetch(), { get: () => session.token, renew: () => session.renew() });
 */
export function withToken(
  transport: Transport,
  token: Token,
  scheduler: SchedulerLike = asyncScheduler,
): Transport {
  checkArgument('scheduler', schedulerLike, scheduler);
  const source = tokenSource(token, scheduler);
  const rejected = new Set<string>();
  // One Observable for all of it: operators would cost each request more than the rest of this file.
  return request =>
    new Observable(subscriber => {
      const attempts = new Attempts(source, rejected);
      const follow = (token$: Observable<string | null>, next: (token: string | null) => void) =>
        subscriber.add(
          token$.subscribe({
            // The provider may have ended the request.
            next: token => subscriber.closed || next(token),
            error: (failure: unknown) => subscriber.error(source.explain(failure, summaryOf(request))),
          }),
        );
      /** Sends it with the next token. If there is none, the last answer is the answer. */
      const attempt = (last?: TransportResponse) => {
        const end = (isSignedOut = false) => {
          if (last) {
            request.onArrival?.(last.status);
            subscriber.next(isSignedOut ? { ...last, isSignedOut } : last);
            subscriber.complete();
          } else subscriber.error(new UnauthorizedError(summaryOf(request)));
        };
        const sendOr = (otherwise: () => void) => (token: string | null) => {
          if (token === null) end(true);
          else if (attempts.isUsed(token)) otherwise();
          else send(token);
        };
        const renew = () => {
          const renewed$ = attempts.takeRenewal();
          if (renewed$) follow(renewed$, sendOr(end));
          else end();
        };
        if (attempts.left > 0) follow(source.current$, sendOr(renew));
        else end();
      };
      const send = (token: string) => {
        const sentAt = scheduler.now();
        request.onSent?.();
        const authorized = withBearer(request, token);
        const receive = (answer: TransportResponse) => {
          const response = withoutSecrets(answer, request, [token, ...attempts.refused]);
          if (response.status === 401) {
            const isHeld = request.kind === 'poll' && scheduler.now() - sentAt >= HELD_AFTER;
            attempts.refuse(token, isServices(response), isHeld);
            attempt(response);
          } else {
            subscriber.next(response);
            subscriber.complete();
          }
        };
        subscriber.add(sendOnce(transport, authorized, subscriber, receive));
      };
      attempt();
    });
}

/** Sends a request. A transport of the caller's may throw, answer twice, or answer with something else. */
function sendOnce(
  transport: Transport,
  request: TransportRequest,
  subscriber: Subscriber<TransportResponse>,
  receive: (response: TransportResponse) => void,
): Subscription | undefined {
  const fail = (error: unknown) => subscriber.error(explainFailure(error, request));
  let isAnswered = false;
  try {
    return transport(request)
      .pipe(take(1))
      .subscribe({
        next: response => {
          isAnswered = true;
          try {
            receive(response);
          } catch (error) {
            fail(error);
          }
        },
        error: fail,
        complete: () => {
          if (!isAnswered) subscriber.complete();
        },
      });
  } catch (error) {
    fail(error);
    return undefined;
  }
}

/** What is known about the tokens of a request. */
class Attempts {
  /** How often it may still be sent. */
  left = MAX_SENDS;
  /** Those that it was refused with. */
  readonly refused: string[] = [];
  readonly #source: TokenSource;
  /** Those that the service has rejected, of any request. */
  readonly #rejected: Set<string>;
  #mayRenew = true;

  constructor(source: TokenSource, rejected: Set<string>) {
    this.#source = source;
    this.#rejected = rejected;
  }

  isUsed(token: string): boolean {
    return this.refused.includes(token) || this.#rejected.has(token);
  }

  /** The one renewal that is made for it, if there is any to be made. */
  takeRenewal(): Observable<string | null> | undefined {
    const renewed$ = this.#mayRenew ? this.#source.renewed$ : undefined;
    this.#mayRenew = false;
    return renewed$;
  }

  refuse(token: string, isServices: boolean, isHeld: boolean): void {
    this.refused.push(token);
    if (isServices && this.#source.renewed$) this.#rejected.add(token);
    if (this.#rejected.size > REMEMBERED) this.#rejected.delete(this.#rejected.values().next().value!);
    this.left = isHeld ? MAX_SENDS : this.left - 1;
    this.#mayRenew ||= isHeld;
  }
}

function withBearer(request: TransportRequest, token: string): TransportRequest {
  return {
    ...request,
    // Names that a spread adds to would cost each request a hidden class of its own in V8.
    headers: token
      ? Object.assign({}, request.headers, { authorization: `Bearer ${token}` })
      : request.headers,
    // A 401 that is followed by another request is not yet the answer.
    onArrival: status => {
      if (status !== 401) request.onArrival?.(status);
    },
  };
}

/** Whether an answer is the service's own. */
function isServices({ headers, text }: TransportResponse): boolean {
  const { code, ray_id } = errorBodyOf(text);
  const rayId = ray_id ?? headers.get('rvt-ray-id') ?? '';
  return isFromService({ code: code ?? undefined, rayId: rayId === '' ? undefined : rayId });
}

/** Redacts an error answer, which may quote the request in its body or in a header that ends up in an error. */
function withoutSecrets(
  response: TransportResponse,
  request: TransportRequest,
  tokens: readonly string[],
): TransportResponse {
  const { status, headers, text } = response;
  if (status >= 200 && status < 300) return response;
  const secrets = [...tokens, ...secretsOf(request)];
  const get = (name: string) => {
    const value = headers.get(name);
    return value === null ? null : redact(value, secrets);
  };
  return { status, headers: { get }, text: redactBody(text, secrets) };
}
