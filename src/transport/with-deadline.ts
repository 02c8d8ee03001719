import { asyncScheduler, Observable, type SchedulerLike } from 'rxjs';
import { checkArgument, milliseconds, TransportError } from '../error/index.js';
import { summaryOf, type Transport } from './transport.js';

/**
 * Adds a deadline to a {@link Transport}: if there is no answer after `deadline` ms, the request is aborted and the stream
 * ends with a `TransportError` whose reason is `deadline`. The body of the answer to a GET only has to begin in time, if the transport
 * tells when it does (`fromFetch` does): a slow body is not a missing answer. Any other answer has to be complete by then.
 *
 * A client has it for single requests. The polls of a watch have a deadline of their own: see `WatchConfig.deadline`.
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
    new Observable(subscriber => {
      const fail = () =>
        subscriber.error(
          new TransportError('deadline', `no answer within ${deadline} ms`, summaryOf(request)),
        );
      const late = scheduler.schedule(fail, deadline);
      subscriber.add(late);
      const onArrival = (status: number) => {
        if (request.method === 'GET') late.unsubscribe();
        request.onArrival?.(status);
      };
      subscriber.add(transport({ ...request, onArrival }).subscribe(subscriber));
    });
}
