import { asyncScheduler, throwError, timeout, type SchedulerLike } from 'rxjs';
import { checkArgument, milliseconds, TransportError } from '../error/index.js';
import { summaryOf, type Transport } from './transport.js';

/**
 * Adds a deadline to a {@link Transport}: if there is no answer after `deadline` ms, the request is aborted and the stream
 * ends with a `TransportError` whose reason is `deadline`.
 *
 * Throws an `InputError` if the deadline is invalid.
 *
 * @example
 * const transport = withDeadline(fromFetch(), 70_000);
 */
export function withDeadline(
  transport: Transport,
  deadline: number,
  scheduler: SchedulerLike = asyncScheduler,
): Transport {
  checkArgument('deadline', milliseconds, deadline);
  return request =>
    transport(request).pipe(
      timeout({
        first: deadline,
        scheduler,
        with: () =>
          throwError(
            () => new TransportError('deadline', `no answer within ${deadline} ms`, summaryOf(request)),
          ),
      }),
    );
}
