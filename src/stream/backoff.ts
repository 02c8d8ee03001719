import {
  asyncScheduler,
  defer,
  retry,
  throwError,
  timer,
  type MonoTypeOperatorFunction,
  type SchedulerLike,
} from 'rxjs';
import { aFunction, checkOptions, milliseconds, schedulerLike, type Options } from '../error/index.js';

/** How long to wait after a failure: a random time up to `initial · 2ⁿ` ms, capped at `max` (full jitter). */
export interface BackoffConfig {
  /** The upper bound of the first wait, in ms. Default 500. */
  readonly initial?: number;
  /** The upper bound of every wait, in ms. Default 30,000. */
  readonly max?: number;
}

/** {@link BackoffConfig}, plus which errors to retry. */
export interface RetryConfig extends BackoffConfig {
  /** Whether to retry after an error; `attempt` starts at 1. If not, the stream ends with it. Default: always. */
  readonly when?: (error: unknown, attempt: number) => boolean;
  /** Returns a random number from 0 to 1, excluding 1. Default `Math.random`. */
  readonly random?: () => number;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

const BACKOFF_OPTIONS: Options<BackoffConfig> = { initial: milliseconds, max: milliseconds };
const RETRY_OPTIONS: Options<RetryConfig> = {
  ...BACKOFF_OPTIONS,
  when: aFunction,
  random: aFunction,
  scheduler: schedulerLike,
};

/** Fills in the defaults of a {@link BackoffConfig}. Throws an `InputError` if an option is unknown or invalid. */
export function backoffSettings(config: BackoffConfig = {}): Required<BackoffConfig> {
  checkOptions(config, BACKOFF_OPTIONS, 'backoff');
  return withDefaults(config);
}

function withDefaults({ initial = 500, max = 30_000 }: BackoffConfig): Required<BackoffConfig> {
  return { initial, max };
}

/** How long to wait before a retry, in ms. `attempt` starts at 1; `chance` is a random number from 0 to 1, excluding 1. */
export function backoffDelay(
  attempt: number,
  { initial, max }: Required<BackoffConfig>,
  chance: number,
): number {
  return Math.round(chance * Math.min(max, initial * 2 ** (attempt - 1)));
}

/**
 * Resubscribes after an error, without limit. Before each retry it waits a random time up to `initial · 2ⁿ` ms, capped at
 * `max`, so that clients do not all come back at once after an outage. The waits start over once the source has run for
 * longer than `max` ms without an error.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * client.group.getMembers({ group_id }).pipe(backoff({ when: isTransportError }));
 */
export function backoff<T>(config: RetryConfig = {}): MonoTypeOperatorFunction<T> {
  checkOptions(config, RETRY_OPTIONS);
  const { when = () => true, random = Math.random, scheduler = asyncScheduler } = config;
  const settings = withDefaults(config);
  return source =>
    defer(() => {
      let attempt = 0;
      let startedAt = 0;
      return defer(() => {
        startedAt = scheduler.now();
        return source;
      }).pipe(
        retry({
          delay: (error: unknown) => {
            attempt = scheduler.now() - startedAt > settings.max ? 1 : attempt + 1;
            return when(error, attempt)
              ? timer(backoffDelay(attempt, settings, random()), scheduler)
              : throwError(() => error);
          },
        }),
      );
    });
}
