import { isStatusError, type StatusError } from './status-error.js';
import { hasTag, TaggedError, type RequestSummary } from './tagged-error.js';

/**
 * The player has to sign in again. Either the service does not accept the token, and there is no
 * other one. Or `token` gave `null`, which means that nobody is signed in. It ends a watch. `cause`
 * is the service's 401. Without a `cause`, nothing was sent.
 */
export class UnauthorizedError extends TaggedError {
  readonly _tag = 'UnauthorizedError';
  override readonly name = 'UnauthorizedError';
  declare readonly cause: StatusError | undefined;

  constructor(
    readonly request: RequestSummary,
    cause?: StatusError,
  ) {
    super(
      cause
        ? `sign in again: the service does not accept the token: ${cause.message}`
        : `sign in again: there is no token that the service accepts (${request.method} ${request.url})`,
      cause && { cause },
    );
  }
}

/**
 * Whether this is an `UnauthorizedError`, from any copy of this library in any realm.
 *
 * @example
 * if (isUnauthorizedError(error)) showSignIn();
 */
export const isUnauthorizedError: (u: unknown) => u is UnauthorizedError =
  hasTag<UnauthorizedError>('UnauthorizedError');

/** The answer that an error is, or that caused it. */
export function answerBehind(error: unknown): StatusError | undefined {
  if (isUnauthorizedError(error)) return error.cause;
  return isStatusError(error) ? error : undefined;
}
