import {
  asyncScheduler,
  type Observable,
  type Observer,
  type SchedulerLike,
  type TimestampProvider,
  type Unsubscribable,
} from 'rxjs';
import { Direct, DirectOperator, follow } from '../../direct/index.js';
import {
  checkArgument,
  guarded,
  HELD_MS,
  redactBody,
  schedulerLike,
  StatusError,
  TransportError,
  UnauthorizedError,
} from '../../error/index.js';
import { detailsOf } from '../../protocol/index.js';
import { ServiceProof } from '../service-proof.js';
import { explainFailure } from '../explain-failure.js';
import {
  answerOf,
  redactedHeaders,
  secretsOf,
  summaryOf,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../transport.js';
import { Authorization, type HeldPoll, type Refusal } from './authorization.js';
import type { MaybeToken } from './shared-call.js';
import { tokenSource, type Token } from './token-source.js';

/**
 * How often a request is sent at most: with its token, with another token that has replaced it, and
 * with a token that was renewed for it.
 */
const MAX_SENDS = 3;

/** The service's code for a token that is not for this route. */
const NOT_ENTITLED = 'CLAIMS_MISSING_ENTITLEMENT';

/** A clock and a callback that a client gives. */
export interface TokenHooks {
  /** A clock that is never set back, in ms. Default: that of the scheduler. */
  readonly clock?: TimestampProvider;
  /** Called once for each token that is rejected, and if nobody is signed in. */
  readonly onRefused?: (error: UnauthorizedError) => void;
  /**
   * What is known of who answers. Default: nothing at first.
   *
   * @internal
   */
  readonly proof?: ServiceProof;
  /**
   * Called with each request that is not sent, or not sent again, because there is no token for it,
   * and with its error.
   */
  readonly onUnsent?: (request: TransportRequest, error: Error) => void;
}

/**
 * Adds a bearer token to the header of each request of a {@link Transport} (docs/the-service.md,
 * 5). After a 401 it asks `get` again. If that gives another token, the request is sent with it. If
 * it gives the same one, the request is sent with the token that `renew` gives. A token that the
 * service has rejected is never sent again, if there is a `renew`. A request is sent three times at
 * most. A 401 of a poll after 2 s or more does not count. Requests that wait for a token at the
 * same time share one call of `get`, and one of `renew`.
 *
 * Errors, besides those of the transport: an `UnauthorizedError` if `get` gives `null`, or only
 * rejected tokens. A `TransportError` whose reason is `not_sent` if `get` or `renew` throws, gives
 * no valid token, or takes longer than 15 s. A last 401 is emitted as the answer, with
 * `isSignedOut` if `get` or `renew` then gave `null`. Where an error answer quotes the token or a
 * string of the body, that is redacted.
 *
 * Throws an `InputError` if the token or the scheduler is invalid.
 *
 * @example
 * const transport = withToken(fromFetch(), {
 *   get: () => session.token,
 *   renew: () => session.renew(),
 * });
 */
export function withToken(
  transport: Transport,
  token: Token,
  scheduler: SchedulerLike = asyncScheduler,
  { clock = scheduler, onRefused, onUnsent, proof = new ServiceProof() }: TokenHooks = {},
): Transport {
  checkArgument('scheduler', schedulerLike, scheduler);
  const hooks = { onRefused: guarded(onRefused), onUnsent: guarded(onUnsent) };
  const authorization = new Authorization(transport, tokenSource(token, scheduler), clock, hooks, proof);
  return request => new Direct(observer => new AuthorizedRequest(authorization, request, observer).start());
}

/** What may still be done for a request until it has been refused for good. */
interface Chances {
  readonly maxSends: number;
  readonly mayRenew: boolean;
  /** The last 401. */
  readonly refusal: Refusal | undefined;
}

const ALL_CHANCES: Chances = { maxSends: MAX_SENDS, mayRenew: true, refusal: undefined };

/**
 * A request that is sent with one token after another, until one is accepted, or there is no other.
 */
class AuthorizedRequest extends DirectOperator<Attempted, TransportResponse> implements HeldPoll {
  readonly #shared: Authorization;
  readonly #request: TransportRequest;
  #chances = ALL_CHANCES;
  /** The tokens that the request was sent with. */
  #used: readonly string[] = [];
  /** What the request waits for: a token, or the answer to an attempt. */
  #pending: Unsubscribable | undefined;

  constructor(shared: Authorization, request: TransportRequest, observer: Observer<TransportResponse>) {
    super(observer);
    this.#shared = shared;
    this.#request = request;
  }

  start(): this {
    if (this.#request.kind === 'poll') this.#shared.polls.add(this);
    this.#try();
    return this;
  }

  override unsubscribe(): void {
    super.unsubscribe();
    this.#pending?.unsubscribe();
    this.#shared.polls.delete(this);
  }

  /**
   * Other requests have been refused with these tokens or, if nobody is signed in, with none. A
   * poll that is held with one of the tokens goes on as if it had got that 401 itself. It does not
   * renew the token, since that has been tried.
   */
  refuse(tokens: readonly string[], refusal: Refusal | undefined): void {
    const attempt = this.#pending;
    const isNobody = tokens.length === 0;
    if (!(attempt instanceof Attempt) || attempt.isOver) return;
    if (!isNobody && !tokens.includes(attempt.token)) return;
    attempt.unsubscribe();
    // The player who is signed in by now may have the same token.
    if (isNobody) this.#used = [];
    this.#chances = { maxSends: this.#used.length + MAX_SENDS, mayRenew: false, refusal };
    this.#try();
  }

  #try(): void {
    if (this.#used.length < this.#chances.maxSends)
      this.#sendWith(this.#shared.source.current$, () => this.#renew());
    else this.#end();
  }

  #renew(): void {
    const { renewed$ } = this.#shared.source;
    const { mayRenew, refusal } = this.#chances;
    const isOwn = refusal?.details.isFromService ?? true;
    if (!renewed$ || !mayRenew || !(isOwn || this.#shared.takeForeignRenewal())) return this.#end();
    this.#chances = { ...this.#chances, mayRenew: false };
    this.#sendWith(renewed$, () => this.#end());
  }

  #sendWith(token$: Observable<MaybeToken>, otherwise: () => void): void {
    let hasCome = false as boolean;
    const asked = follow(token$, {
      next: token => {
        hasCome = true;
        // The provider may have ended the request.
        if (!this.isOver) this.#sendIfNew(token, otherwise);
      },
      error: (failure: unknown) => {
        const { message, cause } = failure as Error;
        this.#unsent(new TransportError('not_sent', message, summaryOf(this.#request), { cause }));
      },
      complete: () => undefined,
    });
    if (this.isOver) asked.unsubscribe();
    else if (!hasCome) this.#pending = asked;
  }

  #sendIfNew(token: MaybeToken, otherwise: () => void): void {
    if (token == null) this.#end(true);
    else if (this.#used.includes(token) || this.#shared.isRejected(token)) otherwise();
    else this.#send(token);
  }

  #send(token: string): void {
    const { clock, transport } = this.#shared;
    const sentAt = clock.now();
    this.#request.onSent?.();
    // The array is copied, since V8 makes room for 17 at the first `push`.
    this.#used = [...this.#used, token];
    this.#shared.signedIn();
    const attempt = new Attempt(this, this.#request, token, sentAt);
    this.#pending = attempt;
    attempt.send(transport);
  }

  next({ attempt, received }: Attempted): void {
    const { token, sentAt } = attempt;
    const { clock, proof } = this.#shared;
    const { status, text } = received;
    const took = clock.now() - sentAt;
    const secrets = [...this.#used, ...secretsOf(this.#request)];
    const headers = redactedHeaders(received.headers, secrets);
    const isFromService = proof.judge(this.#request, { status, headers, text }, took);
    // The text of an OK ends up in an error only if it should have none, and is not the service's.
    const isKept = status >= 200 && status < 300 && !(isFromService === false && this.#request.emptyOk);
    const shown = isKept ? text : redactBody(text, secrets);
    const response = { status, headers, text: shown, isFromService };
    if (status !== 401) return this.emit(response);
    if (isFromService) this.#shared.reject(token);
    const refusal = { response, details: detailsOf(response) };
    // If the service held the poll, the token has expired meanwhile.
    const wasHeld = this.#request.kind === 'poll' && took >= HELD_MS;
    this.#chances = wasHeld
      ? { maxSends: this.#used.length + MAX_SENDS, mayRenew: true, refusal }
      : { ...this.#chances, refusal };
    this.#try();
  }

  /** There is no other token. The last 401 is the answer. */
  #end(isSignedOut = false): void {
    const request = this.#request;
    const shared = this.#shared;
    const tokens = this.#used;
    const { refusal } = this.#chances;
    const summary = summaryOf(request);
    const error = new UnauthorizedError(summary, refusal && new StatusError(401, summary, refusal.details));
    const isRefused = isSignedOut || isOfToken(refusal);
    const others = isSignedOut || (isRefused && request.kind === 'poll') ? [...shared.polls] : [];
    if (isRefused) shared.reportRefusal(tokens.at(-1) ?? '', error);
    if (refusal) {
      const { response } = refusal;
      request.onArrival?.(response.status);
      this.emit(isSignedOut ? { ...response, isSignedOut } : response);
    } else this.#unsent(error);
    for (const other of others) other.refuse(tokens, refusal);
  }

  #unsent(error: Error): void {
    this.#shared.hooks.onUnsent(this.#request, error);
    this.error(error);
  }
}

/** Whether a 401 refuses the token. One that lacks an entitlement is for another route. */
function isOfToken(refusal: Refusal | undefined): boolean {
  return refusal?.details.isFromService === true && refusal.details.code !== NOT_ENTITLED;
}

/** The answer to an attempt. */
interface Attempted {
  readonly attempt: Attempt;
  readonly received: TransportResponse;
}

/**
 * A request that is sent once, with one token. A custom transport may throw, or answer with
 * something else.
 */
class Attempt extends DirectOperator<TransportResponse, Attempted> {
  readonly #whole: Observer<Attempted>;
  /** The request with the token, which an error may quote. */
  readonly #request: TransportRequest;
  readonly token: string;
  readonly sentAt: number;

  constructor(whole: Observer<Attempted>, request: TransportRequest, token: string, sentAt: number) {
    super(whole);
    this.#whole = whole;
    this.#request = withBearer(request, token);
    this.token = token;
    this.sentAt = sentAt;
  }

  send(transport: Transport): void {
    this.begin(() => answerOf(transport, this.#request));
  }

  next(received: TransportResponse): void {
    if (this.isOver) return;
    this.unsubscribe();
    // This does not end the whole request, which may send another attempt.
    try {
      this.#whole.next({ attempt: this, received });
    } catch (error) {
      this.#whole.error(explainFailure(error, this.#request));
    }
  }

  override error(error: unknown): void {
    super.error(explainFailure(error, this.#request));
  }
}

function withBearer(request: TransportRequest, token: string): TransportRequest {
  return {
    ...request,
    // A spread that adds a name would cost each request a separate hidden class in Node 20.
    headers: token
      ? Object.assign({}, request.headers, { authorization: `Bearer ${token}` })
      : request.headers,
    // A 401 that is followed by another request is not yet the answer.
    onArrival: status => {
      if (status !== 401) request.onArrival?.(status);
    },
  };
}
