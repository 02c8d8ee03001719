import { checkArgument, milliseconds } from '../protocol/index.js';
import type { BackoffConfig } from './backoff-config.js';

/** A {@link BackoffConfig} with nothing left open; throws an `InputError` where a value cannot be meant. */
export function backoffSettings({ initial = 500, max = 30_000 }: BackoffConfig): Required<BackoffConfig> {
  return {
    initial: checkArgument('backoff.initial', milliseconds, initial),
    max: checkArgument('backoff.max', milliseconds, max),
  };
}
