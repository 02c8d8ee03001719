import { catchError, type Observable } from 'rxjs';
import { answeredAtOnce, DecodeError, isAwaitable, isInputError, type Guard } from '../../error/index.js';
import { awaited } from '../../stream/index.js';
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

/**
 * Sends a request by a client, which may be one of your own. Emits once it has been answered.
 * Whatever is no request confirms nothing, and neither does a promise of a request that is not sent
 * yet. It may have sent something all the same, so its error is not one of an argument.
 */
export function callClient(name: string, call: () => unknown): Observable<unknown> {
  return awaited(name, () => answeredAtOnce(name, call(), aRequest)).pipe(
    catchError((error: unknown) => {
      if (!isInputError(error) || error.argument !== name) throw error;
      const { expected, got } = error;
      throw new DecodeError({ path: name, expected, got });
    }),
  );
}

const aRequest: Guard<object> = {
  name: 'an Observable or a promise',
  is: (u): u is object => isAwaitable(u),
};

/** What `addressOf` returns. */
export const aString: Guard<string> = { name: 'a string', is: u => typeof u === 'string' };
