import type * as t from 'io-ts';
import { isLeft } from '#fp-ts/Either';
import { decodeIssues } from './decode-issues.js';
import { describe } from './describe.js';
import { InputError } from './input-error.js';

/** The value of an argument; throws an `InputError` that says what its codec expects where it is something else. */
export function checkArgument<A>(name: string, codec: t.Type<A, unknown>, value: unknown): A {
  const result = codec.decode(value);
  if (!isLeft(result)) return result.right;
  const [issue] = decodeIssues(result.left, name);
  throw new InputError(issue?.path ?? name, issue?.expected ?? codec.name, issue?.got ?? describe(value));
}
