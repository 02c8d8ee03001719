import { scanState } from 'lobby-rx';
import { marbles } from '../marbles.js';

describe('scanState', () => {
  it(
    'emits the seed, then each new state, and nothing if the state stays the same',
    marbles(({ cold, expectObservable }) => {
      const longest = cold('-a-b-c|', { a: 'xx', b: 'x', c: 'xxx' }).pipe(
        scanState((best, text: string) => (text.length > best.length ? text : best), ''),
      );
      expectObservable(longest).toBe('sa---c|', { s: '', a: 'xx', c: 'xxx' });
    }),
  );
});
