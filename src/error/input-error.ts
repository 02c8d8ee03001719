import { hasTag, TaggedError } from './tagged-error.js';

/** One of the caller's arguments is invalid. Nothing was sent. The message says what to change. */
export class InputError extends TaggedError {
  readonly _tag = 'InputError';
  override readonly name = 'InputError';

  constructor(
    /** The name of the argument, for example `watch.timeout`. */
    readonly argument: string,
    /** The requirement on the argument. */
    readonly expected: string,
    /** The given value, in words. Strings are never quoted, since they may be tokens. */
    readonly got: string,
    message = `${argument} must be ${expected}; got ${got}`,
  ) {
    super(message);
  }
}

/**
 * Whether this is an `InputError`, from any copy of this library in any realm.
 *
 * @example
 * if (isInputError(error)) console.error(error.argument, error.expected);
 */
export const isInputError: (u: unknown) => u is InputError = hasTag<InputError>('InputError');
