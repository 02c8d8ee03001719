import {
  asyncScheduler,
  catchError,
  defer,
  finalize,
  from,
  map,
  of,
  ReplaySubject,
  share,
  take,
  tap,
  throwError,
  throwIfEmpty,
  timeout,
  TimeoutError,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { isTransportError, TransportError, type RequestSummary } from '../protocol/index.js';
import { tokenFlaw } from './token-flaw.js';
import type { Token } from './token.js';

/** A token, and how many renewals had been made when it was handed out. */
export interface IssuedToken {
  readonly value: string;
  readonly generation: number;
}

/** Hands out tokens, and renews them once for all who find at the same time that theirs is rejected. */
export interface TokenSource {
  /** The token to use for a request. */
  readonly issue: (request: RequestSummary) => Observable<IssuedToken>;
  /** A fresh one in place of one that was rejected; absent where the token is a plain text, which nothing can renew. */
  readonly renew?: (rejected: IssuedToken, request: RequestSummary) => Observable<IssuedToken>;
}

/** How long a token provider may take, in ms, and what time is read from. */
export interface TokenSourceConfig {
  readonly deadline?: number;
  readonly scheduler?: SchedulerLike;
}

export function tokenSource(token: Token, config: TokenSourceConfig = {}): TokenSource {
  if (typeof token === 'string') return { issue: () => of({ value: token, generation: 0 }) };

  const { deadline = 15_000, scheduler = asyncScheduler } = config;
  let generation = 0;
  let renewal: Observable<IssuedToken> | undefined;

  const ask = (why: 'request' | 'rejected'): Observable<IssuedToken> =>
    defer(() => {
      // As of the asking: a token that a renewal overtakes on its way is one of before it.
      const asked = generation;
      return defer(() => {
        const given = token(why) as ReturnType<Exclude<Token, string>> | undefined;
        // A string is an ObservableInput too, of its letters: it has to be looked for first.
        return typeof given === 'string' || given == null ? of(given) : from(given);
      }).pipe(
        timeout({ first: deadline, scheduler }),
        take(1),
        throwIfEmpty(() => new ProviderFailure('completed without one')),
        map(value => {
          const flaw = tokenFlaw(value);
          if (flaw) throw new ProviderFailure(`gave ${flaw}`);
          return { value: value!, generation: asked };
        }),
      );
    });

  const renew = (): Observable<IssuedToken> => {
    const over = () => {
      if (renewal === mine) renewal = undefined;
    };
    const mine: Observable<IssuedToken> = ask('rejected').pipe(
      map(({ value }) => ({ value, generation: ++generation })),
      // Over before anyone hears of it: whoever asks anew in answer to it begins a new one.
      tap({ next: over, error: over }),
      finalize(over),
      share({ connector: () => new ReplaySubject(1) }),
    );
    return (renewal = mine);
  };

  // One renewal is for several requests: its error is told to each as its own.
  const explained = (request: RequestSummary, token$: () => Observable<IssuedToken>) =>
    defer(token$).pipe(catchError((error: unknown) => throwError(() => explain(error, deadline, request))));

  return {
    // Whoever comes during a renewal waits for it: the token at hand is known to be rejected.
    issue: request => explained(request, () => renewal ?? ask('request')),
    renew: (rejected, request) =>
      explained(request, () => renewal ?? (rejected.generation < generation ? ask('request') : renew())),
  };
}

/** What a provider did instead of giving a token. */
class ProviderFailure extends Error {}

/** A provider's own error is named but not quoted, because it may hold a token; whoever wrote it can log it there. */
function explain(error: unknown, deadline: number, request: RequestSummary): TransportError {
  if (isTransportError(error)) return error;
  const what = (): string => {
    if (error instanceof ProviderFailure) return error.message;
    if (error instanceof TimeoutError) return `gave none within ${deadline} ms`;
    return `failed with ${error instanceof Error ? error.constructor.name : typeof error}`;
  };
  return new TransportError('not_sent', `nothing was sent: the token provider ${what()}`, request);
}
