import { asyncScheduler, type SchedulerLike, type TimestampProvider } from 'rxjs';
import { Direct } from '../../direct/index.js';
import { checkArgument, schedulerLike, type UnauthorizedError } from '../../error/index.js';
import { AuthorizedRequest, type Authorization } from './authorized-request.js';
import { tokenSource, type Token } from './token-source.js';
import type { Transport } from '../transport.js';

/** What a client gives and gets. */
export interface TokenHooks {
  /** A clock that is never set back, in ms. Default: the scheduler's. */
  readonly clock?: TimestampProvider;
  /** Called once for each token that is refused, and if nobody is signed in. */
  readonly onRefused?: (error: UnauthorizedError) => void;
}

/**
 * Adds a bearer token to the header of each request of a {@link Transport} (docs/the-service.md, 5). After a 401 it asks `get` again: if
 * that gives another token, the request is sent with it; if it gives the same one, with what `renew` gives. What the service has rejected
 * is never sent again, if there is a `renew`. A request is sent three times at most; a 401 of a poll after 2 s or more does not count.
 *
 * Errors, besides those of the transport: an `UnauthorizedError` if `get` gives `null`, or only what was rejected; a `TransportError`
 * whose reason is `not_sent` if `get` or `renew` throws, gives no valid token, or takes longer than 15 s. A last 401 is emitted as the
 * answer, with `isSignedOut` if `renew` gave `null`. Where an error answer quotes the token or a string of the body, that is redacted.
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
  { clock = scheduler, onRefused = () => undefined }: TokenHooks = {},
): Transport {
  checkArgument('scheduler', schedulerLike, scheduler);
  const { current$, renewed$ } = tokenSource(token, scheduler);
  // No spread: it would cost each client a hidden class of its own in V8.
  const authorization: Authorization = {
    transport,
    current$,
    renewed$,
    clock,
    onRefused,
    rejected: [],
    told: [],
    renewedForOthersAt: -Infinity,
    polls: new Set(),
  };
  return request => new Direct(observer => new AuthorizedRequest(authorization, request, observer).start());
}
