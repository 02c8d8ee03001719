import { hasTag } from './has-tag.js';

/** An argument of the caller is invalid. Nothing was sent; the message says what to change. */
export class InputError extends Error {
  readonly _tag = 'InputError';
  override readonly name = 'InputError';

  constructor(
    /** The name of the argument, `watch.deadline` say. */
    readonly argument: string,
    /** What it must be. */
    readonly expected: string,
    /** What it was, in words. A value is never quoted: it may be a token. */
    readonly got: string,
  ) {
    super(`${argument} must be ${expected}; got ${got}`);
  }
}

/**
 * Whether this is an `InputError`, from any copy of this library in any realm.
 *
 * @example
 * if (isInputError(error)) console.error(error.argument, error.expected);
 */
export const isInputError: (u: unknown) => u is InputError = hasTag<InputError>('InputError');
