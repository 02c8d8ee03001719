import type { TimestampProvider } from 'rxjs';
import type { StatusDetails, UnauthorizedError } from '../../error/index.js';
import type { ServiceProof } from '../service-proof.js';
import type { Transport, TransportRequest, TransportResponse } from '../transport.js';
import type { TokenSource } from './token-source.js';

/**
 * The least time between two renewals of a token for 401s that are not the service's own, in ms.
 */
const FOREIGN_RENEWAL_MS = 60_000;

/**
 * How many rejected tokens are remembered. A provider that still gives a rejected token gives one
 * of the last.
 */
const REMEMBERED = 20;

/** A 401, and what its body says. */
export interface Refusal {
  readonly response: TransportResponse;
  readonly details: StatusDetails;
}

/** A poll that is held, and goes on with another token if its own is refused elsewhere. */
export interface HeldPoll {
  refuse(tokens: readonly string[], refusal: Refusal | undefined): void;
}

/** The hooks of a source of tokens. They do not throw. */
export interface AuthorizationHooks {
  readonly onRefused: (error: UnauthorizedError) => void;
  readonly onUnsent: (request: TransportRequest, error: Error) => void;
}

/** The state that all requests with the tokens of one source share. */
export class Authorization {
  readonly polls = new Set<HeldPoll>();
  /**
   * The tokens of all requests that the service has rejected. It is a list, because an empty set
   * takes ten times as much memory.
   */
  readonly #rejected: string[] = [];
  /**
   * The tokens whose rejection has been reported. An empty string means that nobody is signed in.
   */
  readonly #reported: string[] = [];
  #foreignRenewalAt = -Infinity;

  constructor(
    readonly transport: Transport,
    readonly source: TokenSource,
    readonly clock: TimestampProvider,
    readonly hooks: AuthorizationHooks,
    readonly proof: ServiceProof,
  ) {}

  isRejected(token: string): boolean {
    return this.#rejected.includes(token);
  }

  /**
   * Remembers a rejected token. If it cannot be renewed, it is sent again, since it is the only
   * one.
   */
  reject(token: string): void {
    if (this.source.renewed$) remember(this.#rejected, token);
  }

  /** Reports that a token was rejected, once for each token. */
  reportRefusal(token: string, error: UnauthorizedError): void {
    if (this.#reported.includes(token)) return;
    remember(this.#reported, token);
    this.hooks.onRefused(error);
  }

  /** A user is signed in. Once nobody is, that is reported again. */
  signedIn(): void {
    const at = this.#reported.indexOf('');
    if (at >= 0) this.#reported.splice(at, 1);
  }

  /**
   * Takes the renewal that a 401 may cause which is not the service's own. Returns whether one was
   * left, since there is one in 60 s. A gateway may answer everybody with such a 401 for a while,
   * which says little about the token.
   */
  takeForeignRenewal(): boolean {
    const now = this.clock.now();
    const isDue = now - this.#foreignRenewalAt >= FOREIGN_RENEWAL_MS;
    if (isDue) this.#foreignRenewalAt = now;
    return isDue;
  }
}

/** Adds a token to a list of the last tokens. */
function remember(tokens: string[], token: string): void {
  if (tokens.includes(token)) return;
  tokens.push(token);
  if (tokens.length > REMEMBERED) tokens.shift();
}
