import {
  asyncScheduler,
  defer,
  retry,
  tap,
  throwError,
  timer,
  type MonoTypeOperatorFunction,
  type SchedulerLike,
} from 'rxjs';
import {
  aFunction,
  aPlainValue,
  atOnce,
  checkOptions,
  isRetryable,
  isStatusError,
  MAX_WAIT_MS,
  milliseconds,
  plainObject,
  schedulerLike,
  type Options,
} from '../../error/index.js';
import { monotonicClock, TESTING_OPTIONS, type TestingConfig } from './clocks.js';
import { within01 } from './spread.js';

/**
 * How long to wait after a failure: a random time up to `initial` ms, then twice that, and so on,
 * up to `max` (full jitter).
 */
export interface BackoffConfig {
  /** The upper bound of the first wait, in ms. Default 500. */
  readonly initial?: number;
  /** The upper bound of every wait, in ms. Default 30,000. */
  readonly max?: number;
}

/** {@link BackoffConfig}, plus which errors to retry. */
export interface RetryConfig extends BackoffConfig {
  /**
   * How many retries may follow each other. The stream ends with the error of the last one.
   * Default: without limit.
   */
  readonly retries?: number;
  /**
   * Whether to retry after an error. `attempt` starts at 1. If not, the stream ends with the error.
   * Default `isRetryable`.
   */
  readonly shouldRetry?: (error: unknown, attempt: number) => boolean;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
  /** The random numbers of a test. */
  readonly testing?: TestingConfig;
}

/** A check for each option of {@link BackoffConfig}. */
export const BACKOFF_OPTIONS: Options<BackoffConfig> = { initial: milliseconds, max: milliseconds };
const RETRY_OPTIONS: Options<RetryConfig> = {
  ...BACKOFF_OPTIONS,
  retries: {
    name: 'a number of retries',
    is: u => u === Infinity || (Number.isSafeInteger(u) && (u as number) >= 0),
  },
  shouldRetry: aFunction,
  scheduler: schedulerLike,
  testing: plainObject,
};

/**
 * Fills in the defaults of a {@link BackoffConfig}. Throws an `InputError` if an option is unknown
 * or invalid.
 */
export function backoffSettings(config: BackoffConfig = {}): Required<BackoffConfig> {
  checkOptions(config, BACKOFF_OPTIONS, 'backoff');
  return withDefaults(config);
}

function withDefaults({ initial = 500, max = 30_000 }: BackoffConfig): Required<BackoffConfig> {
  return { initial, max };
}

/** After this number of doublings, any wait is longer than its upper bound. */
const MAX_DOUBLINGS = 31;

/**
 * How long to wait before the `attempt`-th retry, counted from 1, in ms: a random time up to
 * `initial · 2ⁿ⁻¹`, at most `max`. If the service asked for a wait (`Retry-After`), that is added,
 * at most 15 minutes. `chance` is a random number from 0 up to 1.
 *
 * A watch waits like this after a poll that failed. A poll that was cut off after 5 s or more has
 * not failed, and the next one follows at once (`transition/failure-outcome.ts`).
 */
export function backoffDelay(
  attempt: number,
  { initial, max }: Required<BackoffConfig>,
  chance: number,
  retryAfter = 0,
): number {
  // The exponent is limited, since 0 · Infinity is no number.
  const doubled = 2 ** Math.min(attempt - 1, MAX_DOUBLINGS);
  const jitter = Math.round(within01(chance) * Math.min(max, initial * doubled));
  // A custom `recovery` may give NaN or a string. A timer takes either for no wait at all.
  return retryAfter > 0 && Number.isFinite(retryAfter)
    ? Math.min(retryAfter, MAX_WAIT_MS) + Math.min(jitter, MAX_WAIT_MS)
    : jitter;
}

/**
 * Resubscribes after a transient error (see `isRetryable`), without limit. Before each retry it
 * waits a random time up to `initial` ms, then twice that, and so on, up to `max`, so that clients
 * do not all come back at once after an outage. If a `StatusError` asks for a wait (`Retry-After`),
 * that is added, at most 15 minutes. Waits and attempts start over once the source has emitted
 * something and has run for longer than `max` ms.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * client.group.getMembers({ group_id }).pipe(backoff({ retries: 5 }));
 */
export function backoff<T>(config: RetryConfig = {}): MonoTypeOperatorFunction<T> {
  checkOptions(config, RETRY_OPTIONS);
  const { retries = Infinity, scheduler = asyncScheduler, testing } = config;
  const shouldRetry = atOnce('shouldRetry', config.shouldRetry ?? isRetryable, aPlainValue);
  checkOptions(testing, TESTING_OPTIONS, 'testing');
  const { random = Math.random, monotonic = monotonicClock(scheduler) } = testing ?? {};
  const settings = withDefaults(config);
  return source =>
    defer(() => {
      let attempt = 0;
      let startedAt = 0;
      let hasEmitted = false;
      return defer(() => {
        startedAt = monotonic.now();
        hasEmitted = false;
        return source;
      }).pipe(
        tap(() => {
          hasEmitted = true;
        }),
        retry({
          delay: (error: unknown) => {
            const hasRun = hasEmitted && monotonic.now() - startedAt > settings.max;
            attempt = hasRun ? 1 : attempt + 1;
            return attempt <= retries && shouldRetry(error, attempt)
              ? timer(backoffDelay(attempt, settings, random(), askedFor(error)), scheduler)
              : throwError(() => error);
          },
        }),
      );
    });
}

/** How long the service asks to wait, in ms. `undefined` if it does not ask. */
function askedFor(error: unknown): number | undefined {
  return isStatusError(error) ? error.retryAfter : undefined;
}
