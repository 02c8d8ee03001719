import { answeredAtOnce, type Guard } from '../../error/index.js';
import type { GateSettings } from './lobby-gate-config.js';

/**
 * Calls a hook that has to answer at once. If it throws, or returns anything else than expected,
 * that is logged, and the answer is undefined.
 */
export function callHook<A>(
  hook: string,
  call: () => unknown,
  expected: Guard<A>,
  { report }: Pick<GateSettings, 'report'>,
): A | undefined {
  try {
    return answeredAtOnce(hook, call(), expected);
  } catch (error) {
    report.onHookFailed(hook, error);
    return undefined;
  }
}

/** What `addressOf` returns. */
export const aString: Guard<string> = { name: 'a string', is: u => typeof u === 'string' };
