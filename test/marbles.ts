import { deepStrictEqual } from 'node:assert';
import { TestScheduler, type RunHelpers } from 'rxjs/testing';

/** A mocha test in virtual time, with marble diagrams. */
export function marbles(test: (helpers: RunHelpers) => void): () => void {
  return () => new TestScheduler((actual, expected) => deepStrictEqual(actual, expected)).run(test);
}
