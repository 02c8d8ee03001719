import { describe, InputError, type Guard } from '../../error/index.js';
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
    const returned = call();
    if (expected.is(returned)) return returned;
    // The hook may be an async function. An unhandled rejection would end the process.
    Promise.resolve(returned).catch(() => undefined);
    throw new InputError(
      hook,
      `a function that returns ${expected.name}`,
      `one that returned ${describe(returned)}`,
    );
  } catch (error) {
    report.onHookFailed(hook, error);
    return undefined;
  }
}

/** What `addressOf` returns. */
export const aString: Guard<string> = { name: 'a string', is: u => typeof u === 'string' };
