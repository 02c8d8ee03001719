import { asyncScheduler, Observable, type SchedulerLike, type Subscription } from 'rxjs';
import { checkArgument, milliseconds, TransportError } from '../error/index.js';
import { summaryOf, type Transport } from './transport.js';

/**
 * Adds a timeout to a {@link Transport}: if there is no answer after `timeout` ms, the request is aborted and the stream
 * ends with a `TransportError` whose reason is `timeout`. The body of the answer to a GET only has to begin in time, if the transport
 * tells when it does (`fromFetch` does): a slow body is not a missing answer. Any other answer has to be complete by then.
 *
 * A client has it for single requests. The polls of a watch have a timeout of their own: see `WatchConfig.timeout`.
 *
 * Throws an `InputError` if the timeout is invalid.
 *
 * @example
 * const transport = withTimeout(fromFetch(), 70_000);
 */
export function withTimeout(
  transport: Transport,
  timeout: number,
  scheduler: SchedulerLike = asyncScheduler,
): Transport {
  checkArgument('timeout', milliseconds, timeout);
  return request =>
    new Observable(subscriber => {
      const fail = () =>
        subscriber.error(new TransportError('timeout', `no answer within ${timeout} ms`, summaryOf(request)));
      let late: Subscription | undefined;
      let hasArrived = false as boolean;
      const onArrival = (status: number) => {
        hasArrived = request.method === 'GET';
        if (hasArrived) late?.unsubscribe();
        request.onArrival?.(status);
      };
      subscriber.add(transport({ ...request, onArrival }).subscribe(subscriber));
      // After that, so that a token that does not come in as long a time is what the error speaks of.
      if (!hasArrived && !subscriber.closed) subscriber.add((late = scheduler.schedule(fail, timeout)));
    });
}
