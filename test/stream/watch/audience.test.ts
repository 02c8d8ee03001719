import { deepStrictEqual } from 'node:assert';
import { BehaviorSubject, Subscription } from 'rxjs';
import { deliver } from '../../../src/stream/watch/audience.js';

describe('the delivery of an answer', () => {
  const start = (isThere: boolean, onPart: (part: string, leave: () => void) => void = () => undefined) => {
    const isPresent$ = new BehaviorSubject(isThere);
    const delivering = new Subscription();
    const log: string[] = [];
    const audience = { isPresent$, split: (whole: string) => whole.split(' ') };
    deliver('a b c', audience, delivering, {
      next: (part, isLast) => {
        log.push(isLast ? `${part}.` : part);
        onPart(part, () => delivering.unsubscribe());
      },
      complete: () => log.push('complete'),
      left: count => log.push(`left after ${count}`),
    });
    return { isPresent$, delivering, log };
  };

  it('is of part by part, the last one marked, and then complete', () => {
    const { log, isPresent$ } = start(true);
    deepStrictEqual(log, ['a', 'b', 'c.', 'complete']);
    deepStrictEqual(isPresent$.observed, false);
  });

  it('waits for somebody, and stops while nobody is there', () => {
    const { isPresent$, log } = start(false);
    deepStrictEqual(log, []);
    isPresent$.next(true);
    deepStrictEqual(log, ['a', 'b', 'c.', 'complete']);
  });

  it('goes on once if somebody leaves with a part and comes back at the same time', () => {
    const present: BehaviorSubject<boolean>[] = [];
    const { isPresent$, log } = start(false, () => {
      present[0]?.next(false);
      present[0]?.next(true);
    });
    present.push(isPresent$);
    isPresent$.next(true);
    deepStrictEqual(log, ['a', 'b', 'c.', 'complete']);
  });

  it('is given up by whoever ends it, even with the last part, and counts the parts that were taken', () => {
    deepStrictEqual(start(true, (part, leave) => part === 'b' && leave()).log, ['a', 'b', 'left after 2']);
    deepStrictEqual(start(true, (part, leave) => part === 'c' && leave()).log, [
      'a',
      'b',
      'c.',
      'left after 3',
    ]);
    const { delivering, isPresent$, log } = start(false);
    delivering.unsubscribe();
    isPresent$.next(true);
    deepStrictEqual(log, ['left after 0']);
  });
});
