import { deepStrictEqual, strictEqual } from 'node:assert';
import { catchError, count, ignoreElements, map, of, take } from 'rxjs';
import { isDecodeError, pages } from 'lobby-rx';
import { marbles } from '../marbles.js';

interface Page {
  readonly items: string;
  readonly anchor?: string | null;
}

/** A paged service: its pages by anchor, the first one under an empty anchor. */
function book(content: Readonly<Record<string, Page>>) {
  const asked: (string | undefined)[] = [];
  const page = (anchor: string | undefined) => {
    asked.push(anchor);
    return of(content[anchor ?? '']!);
  };
  return { asked, page };
}

describe('pages', () => {
  it(
    'requests each page with the anchor of the previous one, and completes after a page without an anchor',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const first = cold(' --(a|)      ', { a: { items: 'a', anchor: '1' } });
      const second = cold('  --(b|)    ', { b: { items: 'b', anchor: '2' } });
      const third = cold('     --(c|)  ', { c: { items: 'c', anchor: null } });
      const page = (anchor: string | undefined) => {
        if (anchor === undefined) return first;
        return anchor === '1' ? second : third;
      };
      expectObservable(pages<Page>(page).pipe(map(({ items }) => items))).toBe('--a-b-(c|)');
      expectSubscriptions(first.subscriptions).toBe(' ^-!');
      expectSubscriptions(second.subscriptions).toBe('--^-!');
      expectSubscriptions(third.subscriptions).toBe(' ----^-!');
    }),
  );

  it(
    'sends one request if one page is taken, even if the service answers synchronously',
    marbles(({ expectObservable, flush }) => {
      let asked = 0;
      const endless = () => of({ items: 'x', anchor: String(++asked) });
      expectObservable(
        pages(endless).pipe(
          take(1),
          map(({ items }) => items),
        ),
      ).toBe('(x|)');
      flush();
      strictEqual(asked, 1);
    }),
  );

  it(
    'handles ten thousand synchronous pages',
    marbles(({ expectObservable, flush }) => {
      let asked = 0;
      const page = () => of({ items: 'x', anchor: ++asked < 10_000 ? String(asked) : null });
      expectObservable(pages(page).pipe(count())).toBe('(n|)', { n: 10_000 });
      flush();
      strictEqual(asked, 10_000);
    }),
  );

  it(
    'continues after an empty page that has an anchor, and never sends an empty anchor',
    marbles(({ expectObservable, flush }) => {
      const { asked, page } = book({
        '': { items: 'a', anchor: '1' },
        '1': { items: '', anchor: '2' },
        '2': { items: 'b', anchor: '' },
      });
      expectObservable(pages(page).pipe(map(({ items }) => items || '0'))).toBe('(a0b|)');
      flush();
      deepStrictEqual(asked, [undefined, '1', '2']);
    }),
  );

  it(
    'takes only the first page that each request emits',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const first = cold('-a-b-|', { a: { items: 'a', anchor: '1' }, b: { items: 'b', anchor: '2' } });
      const second = cold('-c-d-', { c: { items: 'c' }, d: { items: 'd' } });
      const page = (anchor: string | undefined) => (anchor === undefined ? first : second);
      expectObservable(pages<Page>(page).pipe(map(({ items }) => items))).toBe('-a(c|)');
      expectSubscriptions(first.subscriptions).toBe('^!');
    }),
  );

  it(
    'ends after a page that is not an object, and so has no anchor',
    marbles(({ expectObservable }) => {
      expectObservable(pages(() => of(null)).pipe(map(page => String(page)))).toBe('(n|)', { n: 'null' });
    }),
  );

  it(
    'fails if an anchor repeats, instead of looping forever',
    marbles(({ expectObservable, flush }) => {
      const { asked, page } = book({
        '': { items: 'a', anchor: '1' },
        '1': { items: 'b', anchor: '2' },
        '2': { items: 'c', anchor: '1' },
      });
      const errors: unknown[] = [];
      pages(page).subscribe({ error: (error: unknown) => errors.push(error) });
      expectObservable(of(1));
      flush();
      deepStrictEqual(asked, [undefined, '1', '2']);
      strictEqual(isDecodeError(errors[0]), true);
      strictEqual(
        (errors[0] as Error).message,
        'anchor: expected an anchor that was not given before, got one that was',
      );
    }),
  );

  it(
    'takes a number as an anchor by its digits, even 0',
    marbles(({ expectObservable, flush }) => {
      const asked: unknown[] = [];
      const numbered = (anchor: string | undefined) => {
        asked.push(anchor);
        return of({ items: 'x', next: asked.length < 3 ? asked.length - 1 : null });
      };
      expectObservable(pages(numbered, { anchorOf: ({ next }) => next }).pipe(count())).toBe('(n|)', {
        n: 3,
      });
      flush();
      deepStrictEqual(asked, [undefined, '0', '1']);
    }),
  );

  it(
    'fails if the anchor is a number that is no safe integer: two of them may be rounded to one',
    marbles(({ expectObservable }) => {
      for (const anchor of [1.5, NaN, 2 ** 53]) {
        const failed = pages(() => of({ anchor })).pipe(
          ignoreElements(),
          catchError((error: unknown) => of(isDecodeError(error))),
        );
        expectObservable(failed).toBe('(t|)', { t: true });
      }
    }),
  );

  it(
    'aborts the pending page on unsubscribe, and passes errors on',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const first = cold('-(a|)', { a: { items: 'a', anchor: '1' } });
      const hung = cold<never>('  -   ');
      const page = (anchor: string | undefined) => (anchor === undefined ? first : hung);
      expectObservable(pages<Page>(page).pipe(map(({ items }) => items)), '----!').toBe('-a');
      expectSubscriptions(hung.subscriptions).toBe('-^--!');
      expectObservable(pages(() => cold<never>('--#'))).toBe('--#');
    }),
  );
});
