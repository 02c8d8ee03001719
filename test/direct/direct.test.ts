import { deepStrictEqual, strictEqual } from 'node:assert';
import { NEVER, Observable, of, Subject, type Observer } from 'rxjs';
import {
  createClient,
  withLog,
  withTimeout,
  withToken,
  type Transport,
  type TransportResponse,
} from 'lobby-rx';
import { Direct, directOf, DirectState, DirectSubject, follow } from '../../src/direct/index.js';
import { virtualTime } from '../virtual-time.js';

const REQUEST = { method: 'GET', url: 'https://api.example/x', headers: {} };
const ANSWER: TransportResponse = {
  status: 200,
  headers: { get: () => null },
  text: '{"events":[],"watch":{"index":"7"}}',
};

/** What an observer gets, in order. */
function recorder(): { readonly seen: string[]; readonly observer: Observer<unknown> } {
  const seen: string[] = [];
  return {
    seen,
    observer: {
      next: () => void seen.push('next'),
      error: () => void seen.push('error'),
      complete: () => void seen.push('complete'),
    },
  };
}

type Emission = 'next' | 'error' | 'complete';

function emit(observer: Observer<TransportResponse>, emissions: readonly Emission[]): void {
  for (const emission of emissions) {
    if (emission === 'next') observer.next(ANSWER);
    else if (emission === 'error') observer.error(new Error('broken'));
    else observer.complete();
  }
}

/** All sequences of up to three emissions. */
const SEQUENCES = (['next', 'error', 'complete'] as const).flatMap((first, _, all) => [
  [first],
  ...all.flatMap(second => [[first, second], ...all.map(third => [first, second, third])]),
]);

/**
 * What each layer makes of a transport that breaks every rule: it is `Direct`, so nothing stands in
 * between.
 */
const LAYERS: Readonly<Record<string, (transport: Transport) => Observable<unknown>>> = {
  withTimeout: transport => withTimeout(transport, 1_000, virtualTime().scheduler)(REQUEST),
  withToken: transport => withToken(transport, 't')(REQUEST),
  'withToken and a promise': transport => withToken(transport, () => Promise.resolve('t'))(REQUEST),
  withLog: transport => withLog(transport, () => undefined)(REQUEST),
  'a request of a client': transport =>
    createClient({ url: 'https://api.example', token: 't', transport }).events.watch(),
};

/** At most one value, then at most one end. */
function isInOrder(seen: readonly string[]): boolean {
  return /^(next complete|next error|next|error|complete)?$/.test(seen.join(' '));
}

describe('what is Direct', () => {
  for (const [name, layer] of Object.entries(LAYERS)) {
    it(`passes on one value and one end at most, whatever its source does: ${name}`, async () => {
      for (const emissions of SEQUENCES) {
        for (const isLate of [false, true]) {
          let source!: Observer<TransportResponse>;
          const transport: Transport = () =>
            new Direct(observer => {
              source = observer;
              if (!isLate) emit(observer, emissions);
              return { unsubscribe: () => undefined };
            });
          const { seen, observer } = recorder();
          follow(layer(transport), observer);
          // A promise of a token.
          await Promise.resolve().then(() => undefined);
          await new Promise(setImmediate);
          if (isLate) emit(source, emissions);
          strictEqual(isInOrder(seen), true, `${String(emissions)} became ${String(seen)}`);
          strictEqual(seen.length > 0, true, `${String(emissions)} became nothing`);
        }
      }
    });

    it(`passes nothing on once it has been unsubscribed from: ${name}`, async () => {
      for (const emissions of SEQUENCES) {
        let source!: Observer<TransportResponse>;
        let unsubscriptions = 0;
        const transport: Transport = () =>
          new Direct(observer => {
            source = observer;
            return {
              unsubscribe: () => {
                unsubscriptions++;
              },
            };
          });
        const { seen, observer } = recorder();
        const following = follow(layer(transport), observer);
        await Promise.resolve().then(() => undefined);
        await new Promise(setImmediate);
        following.unsubscribe();
        following.unsubscribe();
        emit(source, emissions);
        deepStrictEqual(seen, []);
        strictEqual(unsubscriptions > 0, true);
      }
    });

    it(`fails if its source throws instead of emitting: ${name}`, async () => {
      const transport: Transport = () =>
        new Direct(() => {
          throw new Error('broken');
        });
      const { seen, observer } = recorder();
      follow(layer(transport), observer);
      await Promise.resolve().then(() => undefined);
      await new Promise(setImmediate);
      deepStrictEqual(seen, ['error']);
    });

    it(`is an ordinary Observable for those who pipe it: ${name}`, async () => {
      const { seen, observer } = recorder();
      layer(() => of(ANSWER)).subscribe(observer);
      await Promise.resolve().then(() => undefined);
      await new Promise(setImmediate);
      deepStrictEqual(seen, ['next', 'complete']);
    });
  }
});

describe('a DirectSubject', () => {
  it('is connected while it has observers, and again later', () => {
    const source$ = new Subject<string>();
    const subject$ = new DirectSubject<string>(() => source$.subscribe(value => subject$.next(value)));
    strictEqual(source$.observed, false);
    const [a, b] = [recorder(), recorder()];
    const following = [follow(subject$, a.observer), follow(subject$, b.observer)];
    source$.next('x');
    following[0]!.unsubscribe();
    source$.next('y');
    following[0]!.unsubscribe();
    strictEqual(source$.observed, true);
    following[1]!.unsubscribe();
    strictEqual(source$.observed, false);
    deepStrictEqual([a.seen.length, b.seen.length], [1, 2]);
    follow(subject$, a.observer).unsubscribe();
    strictEqual(source$.observed, false);
  });

  it('keeps no connection whose first value made its only observer leave', () => {
    let connections = 0;
    const subject$ = new DirectSubject<string>(() => {
      connections++;
      subject$.next('at once');
      return {
        unsubscribe: () => {
          connections--;
        },
      };
    });
    subject$.subscribe({ next: () => undefined }).unsubscribe();
    let subscription: { unsubscribe(): void } | undefined;
    const seen: string[] = [];
    follow(
      new Observable<string>(subscriber => {
        subscription = subscriber;
        subject$.subscribe(subscriber);
      }),
      {
        next: value => {
          seen.push(value);
          subscription!.unsubscribe();
        },
        error: () => undefined,
        complete: () => undefined,
      },
    );
    deepStrictEqual([seen, connections], [['at once'], 0]);
  });

  it('emits nothing to those who leave during an emission', () => {
    const subject$ = new DirectSubject<string>();
    const second = recorder();
    follow(subject$, { ...recorder().observer, next: () => following.unsubscribe() });
    const following = follow(subject$, second.observer);
    subject$.next('x');
    deepStrictEqual(second.seen, []);
  });
});

describe('a DirectState', () => {
  it('emits its value at once, then each change', () => {
    const state$ = new DirectState(1);
    const seen: number[] = [];
    const subscription = state$.subscribe(value => seen.push(value));
    state$.next(2);
    subscription.unsubscribe();
    state$.next(3);
    deepStrictEqual([seen, state$.value], [[1, 2], 3]);
  });
});

describe('follow', () => {
  it('subscribes to any other source, and a Direct can be followed again', () => {
    const one = recorder();
    follow(NEVER, one.observer).unsubscribe();
    follow(of(1, 2), one.observer);
    follow(directOf(3), one.observer);
    deepStrictEqual(one.seen, ['next', 'next', 'complete', 'next', 'complete']);
  });
});
