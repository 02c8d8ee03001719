import { defer, map, of } from 'rxjs';

type Work = () => Promise<unknown>;
type Forms = Readonly<Record<string, (work: Work) => unknown>>;

/** Work that a callback may return, in each of the ways in which it may be wrapped. */
export const WRAPPED: Forms = {
  'a promise': work => work(),
  'a thenable': work => ({ then: (...on: Parameters<Promise<unknown>['then']>) => work().then(...on) }),
  'an Observable': work => defer(work),
  'an Observable of another library': work => ({ '@@observable': () => defer(work) }),
  'a promise of an Observable': work => Promise.resolve(defer(work)),
  'an Observable of a promise': work => of(undefined).pipe(map(work)),
  'an Observable of an Observable': work => of(defer(work)),
  'a promise of an Observable of a promise': work => Promise.resolve(of(undefined).pipe(map(work))),
  'an array of promises': work => [1, work(), 'text'],
  'an array of Observables': work => [defer(work), undefined],
  'an array of arrays': work => [[], [[work()]]],
  'a promise of an array of Observables': work => Promise.resolve([defer(work)]),
  'an Observable of an array of promises': work => defer(() => of([work()])),
};

/** Work that nothing would begin. */
export const UNBEGUN: Forms = {
  'a function': work => work,
  'a promise of a function': work => Promise.resolve(work),
  'an Observable of a function': work => of(work),
  'an array of functions': work => [work],
  'a generator': work =>
    (function* () {
      yield work();
    })(),
  'an async generator': work =>
    (async function* () {
      for (;;) {
        await work();
        yield undefined;
      }
    })(),
  'another iterator': () => [undefined].values(),
};
