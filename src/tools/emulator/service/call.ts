import type { Observable } from 'rxjs';
import type { Bearer, World } from '../world/index.js';
import type { ServiceSettings } from './service-config.js';

/** A request that has been routed and parsed. */
export interface Call {
  /** The path parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: { get(name: string): string | null };
  /** The bearer token. `undefined` if the request had none. */
  readonly bearer: string | undefined;
  /** The parsed JSON body. `undefined` if the request had none. */
  readonly body: unknown;
}

/**
 * Answers the calls of one endpoint. Emits the body of the answer once, or throws a
 * {@link Rejection}.
 */
export type Answer = (call: Call, world: World, settings: ServiceSettings) => Observable<unknown>;

/**
 * Thrown to reject a request. The answer has this status and an error body like that of deployed
 * servers.
 */
export class Rejection extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * The id of the identity or lobby that a call's token belongs to. Throws a {@link Rejection} for
 * tokens of other kinds and for expired tokens.
 */
export function callerOf(kind: Bearer['kind'], call: Call, world: World): string {
  const bearer = call.bearer === undefined ? undefined : world.bearers.get(call.bearer);
  if (bearer?.kind !== kind) {
    const owner = kind === 'lobby' ? 'a lobby' : 'an identity';
    throw new Rejection(401, 'CLAIMS_MISSING_ENTITLEMENT', `This requires the token of ${owner}.`);
  }
  if (bearer.expired) throw new Rejection(401, 'CLAIMS_ENTITLEMENT_EXPIRED', 'The token has expired.');
  return bearer.id;
}

/** An index or anchor of the query, as a number. `undefined` if it was not sent. */
export function decimalOf(name: 'watch_index' | 'anchor', { query }: Call): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  // Deployed servers answer an empty or unparsable value with 500, not with a 4xx.
  if (!/^\d{1,16}$/.test(text)) throw new Rejection(500, 'ERROR', 'An internal error occurred.');
  return Number(text);
}
