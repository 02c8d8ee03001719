import {
  asyncScheduler,
  defer,
  retry,
  throwError,
  timer,
  type MonoTypeOperatorFunction,
  type SchedulerLike,
} from 'rxjs';
import type { BackoffConfig } from './backoff-config.js';
import { backoffDelay } from './backoff-delay.js';
import { backoffSettings } from './backoff-settings.js';

/** {@link BackoffConfig}, and when to stop. */
export interface RetryConfig extends BackoffConfig {
  /** Whether an error is worth a new try; where it says no, the error goes through. Default: every error is. */
  readonly when?: (error: unknown, attempt: number) => boolean;
  /** A number from 0 up to 1. Default `Math.random`. */
  readonly random?: () => number;
  /** What time is read from. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

/**
 * Subscribes anew after an error, for ever, waiting a random time up to `initial · 2ⁿ` ms, `max` at the most: after an
 * outage, a crowd of clients does not come back all at once. The waits begin anew once the source has held for longer
 * than `max` ms.
 *
 * @example
 * client.group.getMembers({ group_id }).pipe(backoff({ when: isTransportError }));
 */
export function backoff<T>(config: RetryConfig = {}): MonoTypeOperatorFunction<T> {
  const { when = () => true, random = Math.random, scheduler = asyncScheduler } = config;
  const settings = backoffSettings(config);
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
              ? timer(backoffDelay(attempt, settings, random), scheduler)
              : throwError(() => error);
          },
        }),
      );
    });
}
