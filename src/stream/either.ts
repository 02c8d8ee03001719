import { catchError, map, of, throwError, type OperatorFunction } from 'rxjs';
import { left, right, type Either } from '#fp-ts/Either';
import { isClientError, type ClientError } from '../error/index.js';

/**
 * Turns what flows into fp-ts's `Either`: values become `right`, and the `ClientError` that ends the stream becomes a last
 * `left`, after which it completes. Any other error is a bug somewhere, and stays an error.
 *
 * @example
 * client.group.getMembers({ group_id }).pipe(either()).subscribe(result => console.log(result._tag));
 */
export function either<A>(): OperatorFunction<A, Either<ClientError, A>> {
  return source =>
    source.pipe(
      map(value => right<ClientError, A>(value)),
      catchError((error: unknown) => (isClientError(error) ? of(left(error)) : throwError(() => error))),
    );
}
