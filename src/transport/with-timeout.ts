import { asyncScheduler, type Observer, type SchedulerLike, type Subscription } from 'rxjs';
import { Direct, DirectOperator } from '../direct/index.js';
import { checkArgument, milliseconds, TransportError } from '../error/index.js';
import {
  answerOf,
  summaryOf,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.js';

/**
 * Adds a timeout to a {@link Transport}. If there is no answer after `timeout` ms, the request is
 * aborted and the stream ends with a `TransportError` whose reason is `timeout`. The body of the
 * answer to a GET only has to begin in time, if the transport tells when it does (`fromFetch`
 * does). So a slow body is not a missing answer. Any other answer has to be complete by then.
 *
 * A client uses it for single requests (`ClientConfig.timeout`, 15 s). The polls of a watch have
 * another timeout (`WatchConfig.timeout`, 70 s).
 *
 * Throws an `InputError` if the timeout is invalid.
 *
 * @example
 * const transport = withTimeout(fromFetch(), 15_000);
 */
export function withTimeout(
  transport: Transport,
  timeout: number,
  scheduler: SchedulerLike = asyncScheduler,
): Transport {
  checkArgument('timeout', milliseconds, timeout);
  return request =>
    new Direct(observer => new TimedRequest(observer, request).start(transport, timeout, scheduler));
}

/** A request that has to be answered in time. */
class TimedRequest extends DirectOperator<TransportResponse> {
  readonly #request: TransportRequest;
  #timer: Subscription | undefined;
  #hasArrived = false;

  constructor(observer: Observer<TransportResponse>, request: TransportRequest) {
    super(observer);
    this.#request = request;
  }

  start(transport: Transport, timeout: number, scheduler: SchedulerLike): this {
    const onArrival = (status: number) => this.#arrive(status);
    this.begin(() => answerOf(transport, { ...this.#request, onArrival }));
    // The timer starts after the request. If a token does not come within the same time, the error
    // then speaks of the token.
    if (!this.#hasArrived && !this.isOver)
      this.#timer = scheduler.schedule(() => this.#expire(timeout), timeout);
    return this;
  }

  next(response: TransportResponse): void {
    this.emit(response);
  }

  override unsubscribe(): void {
    super.unsubscribe();
    this.#timer?.unsubscribe();
  }

  #arrive(status: number): void {
    if (this.#request.method === 'GET') {
      this.#hasArrived = true;
      this.#timer?.unsubscribe();
    }
    this.#request.onArrival?.(status);
  }

  #expire(timeout: number): void {
    this.error(new TransportError('timeout', `no answer within ${timeout} ms`, summaryOf(this.#request)));
  }
}
