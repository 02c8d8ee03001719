import type * as t from 'io-ts';
import { isLeft } from '#fp-ts/Either';
import { decodeIssues, describe, InputError } from '../protocol/index.js';

/** The value of an argument, or an `InputError` that says what its codec expects. */
export function checkField(name: string, codec: t.Mixed, value: unknown): unknown {
  const result = codec.decode(value) as t.Validation<unknown>;
  if (!isLeft(result)) return result.right;
  const [issue] = decodeIssues(result.left, name);
  throw new InputError(issue?.path ?? name, issue?.expected ?? codec.name, issue?.got ?? describe(value));
}
