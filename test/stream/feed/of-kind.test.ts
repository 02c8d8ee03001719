import { map } from 'rxjs';
import { ofKind } from '../../../src/stream/feed/index.js';
import { marbles } from '../../marbles.js';

describe('ofKind', () => {
  it(
    'passes on only the given kind, with its fields',
    marbles(({ cold, expectObservable }) => {
      const values = { a: { kind: 'x', of: 1 }, b: { kind: 'y' }, c: { kind: 'z' } } as const;
      const source = cold<{ kind: 'x'; of: 1 } | { kind: 'y' } | { kind: 'z' }>('abc', values);
      const fields$ = source.pipe(
        ofKind('x'),
        map(({ of }) => of),
      );
      expectObservable(fields$).toBe('a', { a: 1 });
    }),
  );
});
