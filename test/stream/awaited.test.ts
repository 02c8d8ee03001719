import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import {
  defer,
  EMPTY,
  firstValueFrom,
  lastValueFrom,
  map,
  NEVER,
  Observable,
  of,
  Subject,
  throwError,
  timer,
  toArray,
} from 'rxjs';
import { isInputError, isStatusError } from 'lobby-rx';
import { UNBEGUN, WRAPPED } from '../law/returned.js';
import { awaited, flattened } from '../../src/stream/awaited.js';

describe('what a callback returns', () => {
  const valuesOf = (returned: unknown) => lastValueFrom(awaited('ack', () => returned).pipe(toArray()));
  const errorOf = (returned: () => unknown) =>
    lastValueFrom(awaited('ack', returned), { defaultValue: undefined }).then(
      () => undefined,
      (error: unknown) => error,
    );
  const later = () => new Promise<void>(resolve => setImmediate(resolve));

  for (const [what, wrap] of Object.entries(WRAPPED)) {
    it(`is waited for if it is ${what}`, async () => {
      let isDone = false;
      const work = () =>
        later().then(() => {
          isDone = true;
        });
      await valuesOf(wrap(work));
      ok(isDone);
    });

    it(`fails if it is ${what} that fails`, async () => {
      const error = await errorOf(() =>
        wrap(() => later().then(() => Promise.reject(new Error('disk full')))),
      );
      strictEqual(String(error), 'Error: disk full');
    });
  }

  for (const [what, wrap] of Object.entries(UNBEGUN)) {
    it(`is refused if it is ${what}, which nothing would begin`, async () => {
      const error = await errorOf(() => wrap(() => Promise.resolve()));
      ok(isInputError(error), String(error));
      strictEqual(error.argument, 'ack');
    });
  }

  it('is data if it is anything else, and is emitted as it is', async () => {
    const subject = new Subject();
    for (const data of [
      undefined,
      null,
      0,
      'text',
      { saved: 1 },
      new Map([['a', subject]]),
      new Set([subject]),
      { inner: subject },
      Buffer.alloc(2_000_000),
      [1, { watch: 'end' }, [new Map([['a', subject]])]],
      Array.from({ length: 300_000 }, (_, id) => ({ id })),
    ])
      deepStrictEqual(await valuesOf(data), [data]);
  });

  it('is waited for once if it holds itself', async () => {
    const array: unknown[] = [1];
    array.push(array);
    deepStrictEqual((await valuesOf(array)).length, 1);
    const ring: unknown[] = [];
    const promise = Promise.resolve(ring);
    ring.push(promise);
    deepStrictEqual((await valuesOf(promise)).length, 1);
    const observable$: Observable<unknown> = defer(() => of(observable$));
    deepStrictEqual((await valuesOf(observable$)).length, 1);
  });

  it('is done one after the other in an array and in an Observable', async () => {
    const done: number[] = [];
    const saves = [3, 1, 2].map(ms => defer(() => timer(ms).pipe(map(() => done.push(ms)))));
    await valuesOf([...saves]);
    await valuesOf(of(...saves));
    deepStrictEqual(done, [3, 1, 2, 3, 1, 2]);
  });

  it('leaves no rejection unhandled while something else is waited for', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    const failing = () => Promise.reject(new Error('disk full'));
    const saves = () => [timer(5), [failing(), failing()]];
    const all = [
      saves,
      () => of(saves()),
      () => of(timer(5), failing()),
      () => of(failing(), timer(5)),
      () => Promise.resolve(saves()),
    ];
    for (const returned of all) strictEqual(String(await errorOf(returned)), 'Error: disk full');
    await later();
    process.off('unhandledRejection', note);
    deepStrictEqual(unhandled, []);
  });

  it('begins the work of a thenable once', async () => {
    let began = 0;
    const query = {
      length: 2,
      then: (done: () => void) => {
        began++;
        done();
      },
    };
    await valuesOf([query]);
    strictEqual(began, 1);
  });

  it('ends with its subscriber', () => {
    let isLeft = false;
    const work = new Observable(() => () => {
      isLeft = true;
    });
    awaited('ack', () => [of(work), EMPTY])
      .subscribe()
      .unsubscribe();
    ok(isLeft);
  });

  it('fails if it is a Response that is not ok, and says no more of its URL than the origin', async () => {
    const headers = { 'retry-after': '7', 'rvt-ray-id': 'ray' };
    const response = new Response('busy', { status: 503, headers });
    Object.defineProperty(response, 'url', { value: 'https://api.example.com/bot-token/save?key=secret' });
    for (const returned of [response, Promise.resolve(response), [of(response)]]) {
      const error = await errorOf(() => returned);
      ok(isStatusError(error));
      const { status, request, retryAfter, rayId } = error;
      deepStrictEqual(
        { status, url: request.url, retryAfter, rayId },
        { status: 503, url: 'https://api.example.com', retryAfter: 7_000, rayId: 'ray' },
      );
    }
    const fine = new Response('saved');
    deepStrictEqual(await valuesOf(Promise.resolve(fine)), [fine]);
  });

  it('fails with what the callback throws', async () => {
    const thrown = await errorOf(() => {
      throw new Error('disk full');
    });
    strictEqual(String(thrown), 'Error: disk full');
  });
});

describe('a stream of promises or Observables', () => {
  it('has their values, as deep as they go', async () => {
    const of7 = () => Promise.resolve(of(of(7)));
    strictEqual(await firstValueFrom(flattened(of7())), 7);
    strictEqual(await firstValueFrom(flattened(of(NEVER, of7()))), 7);
    deepStrictEqual(await lastValueFrom(flattened(of(1, [2], null)).pipe(toArray())), [1, [2], null]);
    const error = await firstValueFrom(flattened(Promise.resolve(throwError(() => 'down')))).catch(
      (error: unknown) => error,
    );
    strictEqual(error, 'down');
  });
});
