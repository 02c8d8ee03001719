import { catchError, map, of, throwError, type OperatorFunction } from 'rxjs';
import { left, right } from '#fp-ts/Either';
import { isClientError, type ClientError } from '../error/index.js';

/**
 * fp-ts's `Either`, written out. Its own declaration would have to be imported by another path for
 * each platform, and users could not name it unless they depend on fp-ts.
 */
export type Either<E, A> =
  { readonly _tag: 'Left'; readonly left: E } | { readonly _tag: 'Right'; readonly right: A };

/**
 * Converts a stream to fp-ts's `Either`. Values become `right`. If the stream ends with a
 * `ClientError`, the error becomes a final `left`, and the stream completes. Any other error is
 * probably a bug, and stays an error.
 *
 * @example
 * client.group
 *   .getMembers({ group_id })
 *   .pipe(either())
 *   .subscribe(result => console.log(result._tag));
 */
export function either<A>(): OperatorFunction<A, Either<ClientError, A>> {
  return source =>
    source.pipe(
      map(value => right<ClientError, A>(value)),
      catchError((error: unknown) => (isClientError(error) ? of(left(error)) : throwError(() => error))),
    );
}
