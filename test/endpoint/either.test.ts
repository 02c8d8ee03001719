import { either, StatusError } from 'lobby-rx';
import { marbles } from '../marbles.js';

describe('either', () => {
  const refusal = new StatusError(403, { method: 'GET', url: 'https://group.example/' });

  it(
    'wraps values in Right, and emits a client error as a final Left',
    marbles(({ cold, expectObservable }) => {
      expectObservable(cold('a-b-#', undefined, refusal).pipe(either())).toBe('a-b-(c|)', {
        a: { _tag: 'Right', right: 'a' },
        b: { _tag: 'Right', right: 'b' },
        c: { _tag: 'Left', left: refusal },
      });
    }),
  );

  it(
    'passes on any other error as an error',
    marbles(({ cold, expectObservable }) => {
      expectObservable(cold('-#', undefined, 'mine').pipe(either())).toBe('-#', undefined, 'mine');
    }),
  );
});
