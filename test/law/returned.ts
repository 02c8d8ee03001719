import { Readable } from 'node:stream';
import { runInNewContext } from 'node:vm';
import { defer, EMPTY, map, of } from 'rxjs';

const ForeignPromise = runInNewContext('Promise') as PromiseConstructor;

type Work = () => Promise<unknown>;
type Forms = Readonly<Record<string, (work: Work) => unknown>>;

/** Work that a callback may return, in each of the ways in which it may be wrapped. */
export const WRAPPED: Forms = {
  'a promise': work => work(),
  'a thenable': work => ({ then: (...on: Parameters<Promise<unknown>['then']>) => work().then(...on) }),
  'a thenable of a class': work => new Query(work),
  'a promise of another realm': work => new ForeignPromise(settling(work)),
  'a promise of a thenable': work => Promise.resolve([new Query(work)]).then(([query]) => query),
  'an Observable': work => defer(work),
  'an Observable of another library': work => ({ '@@observable': () => defer(work) }),
  'a promise of an Observable': work => Promise.resolve(defer(work)),
  'an Observable of a promise': work => of(undefined).pipe(map(work)),
  'an Observable of an Observable': work => of(defer(work)),
  'a promise of an Observable of a promise': work => Promise.resolve(of(undefined).pipe(map(work))),
  'an array of promises': work => [1, work(), 'text'],
  'an array of Observables': work => [defer(work), undefined],
  'an array of arrays': work => [[], [[work()]]],
  'an array of thenables': work => [new Query(work)],
  'a frozen array of Observables of promises': work => Object.freeze([of(undefined).pipe(map(work))]),
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
  'a stream of Node': () => Readable.from([]),
  'a ReadableStream': () => new ReadableStream(),
  'a subscription': work => defer(work).subscribe({ error: () => undefined }),
  'a promise of a subscription': () => Promise.resolve(EMPTY.subscribe()),
};

/** As the queries of many libraries for databases, which begin when they are waited for. */
class Query {
  readonly #work: Work;
  constructor(work: Work) {
    this.#work = work;
  }
  then(...on: Parameters<Promise<unknown>['then']>) {
    return this.#work().then(...on);
  }
}

function settling(work: Work) {
  return (resolve: (value: unknown) => void, reject: (error: unknown) => void) =>
    void work().then(resolve, reject);
}
