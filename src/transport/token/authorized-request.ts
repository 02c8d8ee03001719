import type { Observable, Observer, TimestampProvider, Unsubscribable } from 'rxjs';
import { DirectOperator, follow } from '../../direct/index.js';
import { HELD_MS, isFromService, StatusError, TransportError, UnauthorizedError } from '../../error/index.js';
import { detailsOf } from '../../protocol/index.js';
import { explainFailure } from '../explain-failure.js';
import type { TokenSource } from './token-source.js';
import {
  answerOf,
  redactedAnswer,
  summaryOf,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../transport.js';

/** A request is sent so often at most: with its token, with another that has replaced it, with one that was renewed for it. */
const MAX_SENDS = 3;

/** The service's code for a token that is not for this route. */
const NOT_ENTITLED = 'CLAIMS_MISSING_ENTITLEMENT';

/** How often a token is renewed at most for a 401 that is not the service's own, in ms. */
const FOREIGN_RENEWAL_MS = 60_000;

/** How many rejected tokens are remembered. A provider that still gives one gives one of the last. */
const REMEMBERED = 20;

/** What all requests with the tokens of one source share. */
export interface Authorization extends TokenSource {
  readonly transport: Transport;
  readonly clock: TimestampProvider;
  readonly onRefused: (error: UnauthorizedError) => void;
  /** What the service has rejected, of any request. Few, in a list: an empty set takes ten times as much. */
  readonly rejected: string[];
  /** Those whose refusal has been told; an empty one for nobody who is signed in. */
  readonly told: string[];
  /** Of the last renewal for a 401 that was not the service's own. */
  renewedForOthersAt: number;
  /** The open polls. */
  readonly polls: Set<AuthorizedRequest>;
}

/** A request that is sent with one token after another, until one is accepted, or there is no other. */
export class AuthorizedRequest extends DirectOperator<TransportResponse> {
  #used: readonly string[] = [];
  #sendsLeft = MAX_SENDS;
  #mayRenew = true;
  /** The last 401. */
  #refusal: TransportResponse | undefined;
  /** What it waits for: a token that is not there yet. */
  #asked: Unsubscribable | undefined;
  /** What is on its way. */
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
   * Other requests have been refused with these tokens, or with none, if nobody is signed in. A poll that is held with one of them goes on as
   * if it had got that 401 itself, but for a renewal, which has been tried.
   */
  refuse(tokens: readonly string[], refusal: TransportResponse | undefined): void {
    const attempt = this.#attempt;
    const isNobody = tokens.length === 0;
    if (!attempt || attempt.isOver || !(isNobody || tokens.includes(attempt.token))) return;
    attempt.unsubscribe();
    // Who is signed in by now may have the same token.
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
    if (!renewed$ || !this.#mayRenew || !this.#isRenewalDue()) return this.#end();
    this.#mayRenew = false;
    this.#sendWith(renewed$, () => this.#end());
  }

  /** A gateway may answer everybody with a 401 for a while: that says little about the token. */
  #isRenewalDue(): boolean {
    const refusal = this.#refusal;
    if (!refusal || isFromService(detailsOf(refusal.text, refusal.headers))) return true;
    const now = this.shared.clock.now();
    const isDue = now - this.shared.renewedForOthersAt >= FOREIGN_RENEWAL_MS;
    if (isDue) this.shared.renewedForOthersAt = now;
    return isDue;
  }

  #sendWith(token$: Observable<string | null | undefined>, otherwise: () => void): void {
    let hasCome = false as boolean;
    const asked = follow(token$, {
      next: token => {
        hasCome = true;
        // The provider may have ended the request.
        if (!this.isOver) this.#sendIfNew(token, otherwise);
      },
      error: (failure: unknown) => {
        const { message, cause } = failure as Error;
        this.error(new TransportError('not_sent', message, summaryOf(this.request), { cause }));
      },
      complete: () => undefined,
    });
    if (this.isOver) asked.unsubscribe();
    else if (!hasCome) this.#asked = asked;
  }

  #sendIfNew(token: string | null | undefined, otherwise: () => void): void {
    if (token == null) this.#end(true);
    else if (this.#used.includes(token) || this.shared.rejected.includes(token)) otherwise();
    else this.#send(token);
  }

  #send(token: string): void {
    const { clock, told, transport } = this.shared;
    const sentAt = clock.now();
    this.request.onSent?.();
    // Not pushed: an array that grows has room for 17.
    this.#used = [...this.#used, token];
    this.#sendsLeft--;
    forget(told, '');
    const request = withBearer(this.request, token);
    this.#attempt = new Attempt(this, request, token, sentAt);
    this.#attempt.begin(() => answerOf(transport, request));
  }

  /** What the last attempt has been answered with. */
  next(received: TransportResponse): void {
    const { token, sentAt } = this.#attempt!;
    const response = redactedAnswer(received, this.request, this.#used);
    if (response.status !== 401) return this.emit(response);
    this.#refusal = response;
    const isOwn = isFromService(detailsOf(response.text, response.headers));
    if (this.shared.renewed$ && isOwn) remember(this.shared.rejected, token);
    // Its token expired while the service held it.
    if (this.request.kind === 'poll' && this.shared.clock.now() - sentAt >= HELD_MS) {
      this.#sendsLeft = MAX_SENDS;
      this.#mayRenew = true;
    }
    this.#try();
  }

  /** There is no other token: the last 401 is the answer. */
  #end(isSignedOut = false): void {
    const { request } = this;
    const { polls } = this.shared;
    const tokens = this.#used;
    const refusal = this.#refusal;
    const summary = summaryOf(request);
    const details = refusal && detailsOf(refusal.text, refusal.headers);
    const error = new UnauthorizedError(summary, details && new StatusError(401, summary, details));
    const isOwn = details !== undefined && isFromService(details);
    // One that lacks an entitlement is for another route.
    const isRefused = isSignedOut || (isOwn && details.code !== NOT_ENTITLED);
    const others = isSignedOut || (isRefused && request.kind === 'poll') ? [...polls] : [];
    if (isRefused) this.#tell(tokens.at(-1) ?? '', error);
    if (refusal) {
      request.onArrival?.(refusal.status);
      this.emit(isSignedOut ? { ...refusal, isSignedOut } : refusal);
    } else this.error(error);
    for (const other of others) other.refuse(tokens, refusal);
  }

  /** Once for each token that is refused. */
  #tell(token: string, error: UnauthorizedError): void {
    const { told, onRefused } = this.shared;
    if (told.includes(token)) return;
    remember(told, token);
    onRefused(error);
  }
}

/** One time that a request is sent. A transport of the caller's may throw, or answer with something else. */
class Attempt extends DirectOperator<TransportResponse> {
  constructor(
    private readonly whole: AuthorizedRequest,
    /** With the token, which an error may quote. */
    private readonly request: TransportRequest,
    readonly token: string,
    readonly sentAt: number,
  ) {
    super(whole);
  }

  next(response: TransportResponse): void {
    if (this.isOver) return;
    this.unsubscribe();
    // Not the end of the whole: that may send another.
    try {
      this.whole.next(response);
    } catch (error) {
      this.whole.error(explainFailure(error, this.request));
    }
  }

  override error(error: unknown): void {
    super.error(explainFailure(error, this.request));
  }
}

/** Remembers the last tokens. */
function remember(tokens: string[], token: string): void {
  if (tokens.includes(token)) return;
  tokens.push(token);
  if (tokens.length > REMEMBERED) tokens.shift();
}

function forget(tokens: string[], token: string): void {
  const at = tokens.indexOf(token);
  if (at >= 0) tokens.splice(at, 1);
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
