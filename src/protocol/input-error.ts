/** The caller's own argument cannot be meant, and nothing was sent; the message says what to change. */
export class InputError extends Error {
  readonly _tag = 'InputError';
  override readonly name = 'InputError';

  constructor(
    /** The name of the argument. */
    readonly argument: string,
    /** What it must be. */
    readonly expected: string,
    /** What it was, in words: a value is never quoted, since it may be a token. */
    readonly got: string,
  ) {
    super(`${argument} must be ${expected}; got ${got}`);
  }
}
