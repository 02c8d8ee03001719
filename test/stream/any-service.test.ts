import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert';
import { concat, delay, from, NEVER, of, throwError, type ObservableInput } from 'rxjs';
import {
  watch,
  watchSignals,
  type IndexingConfig,
  type PollContext,
  type WatchConfig,
  type WatchSignal,
} from 'lobby-rx';
import { virtualTime } from '../virtual-time.js';

const HOUR = 3_600_000;

/** Watches for a while of virtual time. Returns the indexes of its polls and the kinds of its signals, but for the status. */
function watched<A>(
  answerTo: (index: string | undefined, nth: number) => ObservableInput<A>,
  config: IndexingConfig<A>,
  ms = 60_000,
) {
  const { scheduler, pass } = virtualTime();
  const asked: (string | undefined)[] = [];
  const signals: WatchSignal<A>[] = [];
  // An answer takes a moment, so that news that never ends leaves time.
  const poll = (index: string | undefined) => {
    asked.push(index);
    return from(answerTo(index, asked.length)).pipe(delay(1, scheduler));
  };
  const watching = watchSignals(poll, { scheduler, testing: { random: () => 0.5 }, ...config }).subscribe(
    signal => {
      if (signal.kind !== 'status') signals.push(signal);
    },
  );
  pass(ms);
  watching.unsubscribe();
  return { asked, kinds: signals.map(({ kind }) => kind), signals };
}

describe('a watch of a service of another kind', () => {
  it('takes an answer that differs only where its index stands for a repeat, and keeps to its pace', () => {
    const places = [
      [(cursor: number) => ({ cursor, items: [] }), 'cursor'],
      [(next: number) => ({ meta: { next, of: 'x' }, items: [] }), 'meta.next'],
      [(index: number) => ({ watch: { index }, items: [] }), 'watch.index'],
    ] as const;
    for (const [made, indexOf] of places) {
      const { asked, kinds } = watched<object>((_, nth) => of(made(nth)), { indexOf });
      ok(asked.length <= 64, `${asked.length} polls in a minute`);
      deepStrictEqual([kinds[0], new Set(kinds.slice(1))], ['answer', new Set(['checkpoint'])]);
      deepStrictEqual(asked.slice(0, 4), [undefined, '1', '2', '3']);
    }
  });

  it('takes what else differs for news; and whatever differs, if a function returns its index', () => {
    const total = watched((_, nth) => of({ cursor: nth, total: nth }), { indexOf: 'cursor' }, 10);
    ok(total.kinds.length > 5 && total.kinds.every(kind => kind === 'answer'));
    const by = ({ cursor }: { cursor: number }) => cursor;
    const cursors = watched((_, nth) => of({ cursor: nth }), { indexOf: by }, 10);
    ok(cursors.kinds.length > 5 && cursors.kinds.every(kind => kind === 'answer'));
    const keyed = watched((_, nth) => of({ cursor: nth }), { indexOf: by, keyOf: () => 'the same' }, 10);
    deepStrictEqual([keyed.kinds[0], new Set(keyed.kinds.slice(1))], ['answer', new Set(['checkpoint'])]);
  });

  it('has no index where a path leads nowhere, and rejects what is no path', () => {
    for (const answer of [undefined, null, 7, 'text', {}, { meta: null }]) {
      const { asked } = watched<unknown>(
        (_, nth) => (nth === 1 ? of(answer) : NEVER),
        { indexOf: 'meta.next' },
        2_000,
      );
      deepStrictEqual(asked, [undefined, undefined]);
    }
    for (const indexOf of ['', 7, {}])
      throws(
        () => watch(() => NEVER, { indexOf: indexOf as string }),
        /indexOf must be a path such as 'watch\.index', or a function/,
      );
  });

  it('takes an answer that refers to one object twice for the repeat that it is', () => {
    const made = () => {
      const owner = { id: 7 };
      return { owner, members: [owner], seq: 'a' };
    };
    const { asked, kinds } = watched(() => of(made()), { indexOf: 'seq' });
    ok(asked.length <= 64, `${asked.length} polls in a minute`);
    deepStrictEqual([kinds[0], new Set(kinds.slice(1))], ['answer', new Set(['checkpoint'])]);
  });

  it('has no gap however long it has heard nothing, unless it says how long that service remembers', () => {
    const { scheduler } = virtualTime();
    const gaps = (config: WatchConfig<{ seq: number }>) => {
      const hourAgo = { index: '1', at: scheduler.now() - HOUR };
      const { kinds } = watched(() => of({ seq: 2 }), { from: hourAgo, ...config, indexOf: 'seq' }, 10);
      return kinds.filter(kind => kind === 'gap').length;
    };
    deepStrictEqual([gaps({}), gaps({ retention: Infinity }), gaps({ retention: HOUR / 2 })], [0, 0, 1]);
  });

  it('sends any string back as it is, however long, and a safe integer as its digits; no other number', () => {
    const long = 'é'.repeat(3_000);
    const after = (index: unknown) =>
      watched(
        (_, nth) => (nth === 1 ? of({ index }) : NEVER),
        { indexOf: answer => answer.index as string },
        2_000,
      ).asked[1];
    strictEqual(after(long), long);
    deepStrictEqual([after(7), after(2 ** 53 - 1), after(-3)], ['7', '9007199254740991', '-3']);
    for (const number of [NaN, 1e21, 2 ** 53, Infinity, 0.5]) strictEqual(after(number), undefined);
    const { asked } = watched(() => NEVER, { indexOf: () => undefined, from: long }, 10);
    deepStrictEqual(asked, [long]);
  });

  it('hints at the index if each poll with it fails for 150 s, since nothing expires', () => {
    const { scheduler, pass } = virtualTime();
    const hints: (string | undefined)[] = [];
    const watching = watchSignals(() => throwError(() => 'down'), { scheduler, from: '7' }).subscribe(
      signal => {
        if (signal.kind === 'status') hints.push(signal.status.hint);
      },
    );
    pass(140_000);
    deepStrictEqual(new Set(hints), new Set([undefined]));
    pass(60_000);
    ok(hints.at(-1)?.includes('index'));
    watching.unsubscribe();
  });
});

describe('the signal of a poll', () => {
  /** A server that never answers, over an API that has nothing but a signal to be aborted with. */
  const hanging = (open: Set<AbortSignal>) =>
    function hang(_: string | undefined, { signal }: PollContext): Promise<never> {
      open.add(signal);
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          open.delete(signal);
          reject(new Error('aborted'));
        });
      });
    };

  it('is aborted by a timeout and by unsubscribing, so that a hanging server holds one connection at most', () => {
    const { scheduler, pass } = virtualTime();
    const open = new Set<AbortSignal>();
    const watching = watch<never>(hanging(open), { scheduler, timeout: 5_000 }).subscribe();
    for (let n = 0; n < 10; n++) {
      pass(10_000);
      ok(open.size <= 1, `${open.size} open`);
    }
    watching.unsubscribe();
    strictEqual(open.size, 0);
  });

  it('is not aborted once the poll has ended by itself', () => {
    const { scheduler, pass } = virtualTime();
    const signals: AbortSignal[] = [];
    const watching = watch(
      (_, { signal }) => {
        signals.push(signal);
        return signals.length < 3
          ? of({ watch: { index: `${signals.length}` } }).pipe(delay(10, scheduler))
          : throwError(() => 'down');
      },
      { scheduler },
    ).subscribe();
    pass(60_000);
    ok(signals.length > 3);
    deepStrictEqual(new Set(signals.map(({ aborted }) => aborted)), new Set([false]));
    watching.unsubscribe();
    deepStrictEqual(new Set(signals.map(({ aborted }) => aborted)), new Set([false]));
  });

  it('is aborted already if it is read too late, and the same each time', () => {
    let context: PollContext | undefined;
    const watching = watch<never>((_, given) => {
      context = given;
      return NEVER;
    }).subscribe();
    watching.unsubscribe();
    deepStrictEqual([context!.signal.aborted, context!.signal === context!.signal], [true, true]);
  });

  it('makes no controller where nothing reads it, not even by a spread', () => {
    const { AbortController } = globalThis;
    let made = 0;
    globalThis.AbortController = class extends AbortController {
      constructor() {
        super();
        made++;
      }
    };
    try {
      const spread = (_: string | undefined, context: PollContext) =>
        concat([{ ...context, watch: { index: '1' } }], NEVER);
      watch(spread).subscribe().unsubscribe();
      strictEqual(made, 0);
      watch<never>((_, { signal }) => (signal.aborted ? [] : NEVER))
        .subscribe()
        .unsubscribe();
      strictEqual(made, 1);
    } finally {
      globalThis.AbortController = AbortController;
    }
  });
});
