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
import {
  redactedHeaders,
  secretsOf,
  summaryOf,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../transport.js';
import { Attempt } from './attempt.js';
import { Authorization, type OpenPoll, type Refusal } from './authorization.js';
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

/**
 * A request that is sent with one token after another, until one is accepted, or there is no other.
 */
class AuthorizedRequest extends DirectOperator<TransportResponse> implements OpenPoll {
  #used: readonly string[] = [];
  #sendsLeft = MAX_SENDS;
  #mayRenew = true;
  /** The last 401. */
  #refusal: Refusal | undefined;
  /** The call for a token that the request waits for. */
  #asked: Unsubscribable | undefined;
  /** The attempt that is on its way. */
  #attempt: Attempt | undefined;

  constructor(
    readonly shared: Authorization,
    readonly request: TransportRequest,
    observer: Observer<TransportResponse>,
  ) {
    super(observer);
  }

  start(): this {
    if (this.request.kind === 'poll') this.shared.polls.add(this);
    this.#try();
    return this;
  }

  override unsubscribe(): void {
    super.unsubscribe();
    this.#asked?.unsubscribe();
    this.#attempt?.unsubscribe();
    this.shared.polls.delete(this);
  }

  /**
   * Other requests have been refused with these tokens or, if nobody is signed in, with none. A
   * poll that is held with one of the tokens goes on as if it had got that 401 itself. It does not
   * renew the token, since that has been tried.
   */
  refuse(tokens: readonly string[], refusal: Refusal | undefined): void {
    const attempt = this.#attempt;
    const isNobody = tokens.length === 0;
    if (!attempt || attempt.isOver || !(isNobody || tokens.includes(attempt.token))) return;
    attempt.unsubscribe();
    // The player who is signed in by now may have the same token.
    if (isNobody) this.#used = [];
    this.#refusal = refusal;
    this.#mayRenew = false;
    this.#sendsLeft = MAX_SENDS;
    this.#try();
  }

  #try(): void {
    if (this.#sendsLeft > 0) this.#sendWith(this.shared.current$, () => this.#renew());
    else this.#end();
  }

  #renew(): void {
    const { renewed$ } = this.shared;
    if (!renewed$ || !this.#mayRenew || !this.#takeRenewal()) return this.#end();
    this.#mayRenew = false;
    this.#sendWith(renewed$, () => this.#end());
  }

  #takeRenewal(): boolean {
    const isOwn = this.#refusal?.details.isFromService ?? true;
    return isOwn || this.shared.takeForeignRenewal();
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
        this.#unsent(new TransportError('not_sent', message, summaryOf(this.request), { cause }));
      },
      complete: () => undefined,
    });
    if (this.isOver) asked.unsubscribe();
    else if (!hasCome) this.#asked = asked;
  }

  #sendIfNew(token: MaybeToken, otherwise: () => void): void {
    if (token == null) this.#end(true);
    else if (this.#used.includes(token) || this.shared.isRejected(token)) otherwise();
    else this.#send(token);
  }

  #send(token: string): void {
    const { clock, transport } = this.shared;
    const sentAt = clock.now();
    this.request.onSent?.();
    // The array is copied, since an array that grows has room for 17.
    this.#used = [...this.#used, token];
    this.#sendsLeft--;
    this.shared.signedIn();
    this.#attempt = new Attempt(this, this.request, token, sentAt);
    this.#attempt.send(transport);
  }

  /** Takes the answer of the last attempt. */
  next(received: TransportResponse): void {
    const { token, sentAt } = this.#attempt!;
    const { status, text } = received;
    const took = this.shared.clock.now() - sentAt;
    const secrets = [...this.#used, ...secretsOf(this.request)];
    const headers = redactedHeaders(received.headers, secrets);
    const isFromService = this.shared.proof.judge(this.request, { status, headers, text }, took);
    // The text of an OK ends up in an error only if it should have none, and is not the service's.
    const isKept = status >= 200 && status < 300 && !(isFromService === false && this.request.emptyOk);
    const shown = isKept ? text : redactBody(text, secrets);
    const response = { status, headers, text: shown, isFromService };
    if (status !== 401) return this.emit(response);
    const details = detailsOf(response);
    this.#refusal = { response, details };
    if (isFromService) this.shared.reject(token);
    // The token expired while the service held the poll.
    if (this.request.kind === 'poll' && took >= HELD_MS) {
      this.#sendsLeft = MAX_SENDS;
      this.#mayRenew = true;
    }
    this.#try();
  }

  /** There is no other token. The last 401 is the answer. */
  #end(isSignedOut = false): void {
    const { request, shared } = this;
    const tokens = this.#used;
    const refusal = this.#refusal;
    const summary = summaryOf(request);
    const error = new UnauthorizedError(summary, refusal && new StatusError(401, summary, refusal.details));
    const isRefused = isSignedOut || this.#isTokenRefused();
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
    this.shared.hooks.onUnsent(this.request, error);
    this.error(error);
  }

  /** A token that lacks an entitlement is for another route, and not refused. */
  #isTokenRefused(): boolean {
    const details = this.#refusal?.details;
    return details?.isFromService === true && details.code !== NOT_ENTITLED;
  }
}
