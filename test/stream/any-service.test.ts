import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert';
import { concat, delay, from, NEVER, of, throwError, type ObservableInput } from 'rxjs';
import {
  watch,
  watchSignals,
  type IndexingConfig,
  type Poll,
  type PollContext,
  type WatchConfig,
  type WatchSignal,
} from 'lobby-rx';
import { virtualTime } from '../virtual-time.js';

const HOUR = 3_600_000;

/** An entry of a log. */
interface Entry {
  readonly n: number;
  readonly value: string;
}

/** What a session brings. */
interface Session {
  readonly id: string;
  readonly items: readonly string[];
}

/**
 * Watches for a while of virtual time. Returns the indexes of its polls and the kinds of its
 * signals, but for the status.
 */
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
  it('takes a state that differs only where its index stands for a repeat, and keeps to its pace', () => {
    const places = [
      [(cursor: number) => ({ cursor, items: [] }), 'cursor'],
      [(next: number) => ({ meta: { next, of: 'x' }, items: [] }), 'meta.next'],
      [(index: number) => ({ watch: { index }, items: [] }), 'watch.index'],
    ] as const;
    for (const [made, indexOf] of places) {
      const { asked, kinds } = watched<object>((_, nth) => of(made(nth)), { indexOf, isState: true });
      ok(asked.length <= 64, `${asked.length} polls in a minute`);
      deepStrictEqual([kinds[0], new Set(kinds.slice(1))], ['answer', new Set(['checkpoint'])]);
      deepStrictEqual(asked.slice(0, 4), [undefined, '1', '2', '3']);
    }
  });

  it('takes any difference in a state but its index for news, and needs a key if a function returns the index', () => {
    const total = watched(
      (_, nth) => of({ cursor: nth, total: nth }),
      { indexOf: 'cursor', isState: true },
      10,
    );
    ok(total.kinds.length > 5 && total.kinds.every(kind => kind === 'answer'));
    const by = ({ cursor }: { cursor: number }) => cursor;
    const config = { indexOf: by, isState: true };
    throws(() => watch(() => of({ cursor: 1 }), config), /read must be a function whose result has a key/);
    const keyed = watched(
      (_, nth) => of({ cursor: nth }),
      { ...config, read: () => ({ key: 'the same' }) },
      10,
    );
    deepStrictEqual([keyed.kinds[0], new Set(keyed.kinds.slice(1))], ['answer', new Set(['checkpoint'])]);
  });

  for (const [name, indexOf] of [
    ['a path', 'n'],
    ['a function', (entry: Entry) => entry.n],
  ] as const) {
    it(`delivers each event of a log, even if it equals the one before, with ${name} as its index`, () => {
      const values = ['on', 'on', 'on', 'off', 'off'];
      const { signals } = watched<Entry>(
        (_, nth) => (nth <= 5 ? of({ n: nth, value: values[nth - 1]! }) : NEVER),
        { indexOf },
      );
      const seen = signals.map(signal => (signal.kind === 'answer' ? signal.answer.value : signal.kind));
      deepStrictEqual(seen, values);
    });

    it(`asks for equal events ten times a second at most, with ${name} as its index`, () => {
      const { asked, kinds } = watched<Entry>((_, nth) => of({ n: nth, value: 'same' }), { indexOf });
      ok(asked.length <= 640, `${asked.length} polls in a minute`);
      deepStrictEqual(new Set(kinds), new Set(['answer']));
    });
  }

  it('takes the same index with the same text for a repeat, and an answer without an index for news', () => {
    const same = watched(() => of({ n: 7, value: 'same' }), { indexOf: 'n' });
    deepStrictEqual([same.kinds[0], new Set(same.kinds.slice(1))], ['answer', new Set(['checkpoint'])]);
    const without = watched(() => of({ value: 'same' }), { indexOf: 'n' });
    deepStrictEqual(without.kinds.slice(0, 3), ['answer', 'gap', 'answer']);
  });

  it('watches a service by what it says of itself, and ignores no options that JavaScript gives beside it', () => {
    const { scheduler, pass } = virtualTime();
    const service = {
      poll: (index?: string) => of({ last: `${index ?? ''}i` }).pipe(delay(5_000, scheduler)),
      indexOf: 'last',
      minInterval: 60_000,
    };
    const seen: unknown[] = [];
    const options = { scheduler, minInterval: 0, ack: ({ last }: { last: string }) => void seen.push(last) };
    const watching = watch(service, options as object).subscribe(({ last }) => seen.push(last));
    pass(11_000);
    watching.unsubscribe();
    deepStrictEqual(seen, ['i', 'i', 'ii', 'ii']);
  });

  /** Answers with the log from an index on, as CouchDB does, and returns the hints of a minute. */
  function hintsOf<A extends object>(poll: Poll<A>, config: IndexingConfig<A>) {
    const { scheduler, pass } = virtualTime();
    const hints: (string | undefined)[] = [];
    const watching = watchSignals((index, context) => from(poll(index, context)).pipe(delay(1, scheduler)), {
      scheduler,
      testing: { random: () => 0.5 },
      ...config,
    }).subscribe(signal => {
      if (signal.kind === 'status' && signal.status.hint !== hints.at(-1)) hints.push(signal.status.hint);
    });
    pass(60_000);
    watching.unsubscribe();
    return hints;
  }

  it('hints at indexOf at the third answer in a row without an index, which a misspelt one never finds', () => {
    const hint = 'the answers have no index: is `indexOf` right?';
    for (const isState of [false, true]) {
      const answers = (count: number) => {
        let nth = 0;
        return hintsOf(() => (++nth <= count ? of({ last_seq: nth }) : NEVER), {
          indexOf: 'lastSeq',
          isState,
        });
      };
      deepStrictEqual([answers(2).includes(hint), answers(3).includes(hint)], [false, true]);
    }
    // An answer with an index is in between.
    let nth = 0;
    const now = () => (++nth > 8 ? NEVER : of({ items: [nth], ...(nth % 3 === 0 && { next: nth }) }));
    deepStrictEqual(hintsOf(now, { indexOf: 'next' }).includes(hint), false);
    // A log without events has no index to give.
    const empty = hintsOf(() => of({ items: [] }), { indexOf: 'next', read: () => ({ isEmpty: true }) });
    deepStrictEqual(empty, []);
  });

  it('ends with an InputError if a field of what read returns is a promise, which is always true', () => {
    const late = <T>(value: T) => Promise.resolve(value) as unknown as T;
    for (const [field, reading] of [
      ['isEmpty', { isEmpty: late(false) }],
      ['index', { index: late('1') }],
      ['hasGap', { hasGap: late(false) }],
      ['key', { key: Promise.reject(new Error('of the user')) }],
      ['key', { key: of(1) }],
    ] as const) {
      const { scheduler, pass } = virtualTime();
      const errors: unknown[] = [];
      watch(() => of({ n: 1 }), { indexOf: 'n', scheduler, read: () => reading }).subscribe({
        error: (error: unknown) => errors.push(String(error)),
      });
      pass(5_000);
      ok(String(errors[0]).includes(`InputError: ${field} of what read returns must be`), String(errors[0]));
    }
  });

  it('says so in the hint if the index is a number that is not exact any more', () => {
    const hint = 'the index is a number above 2^53, which JSON.parse rounds: take it from the text';
    for (const index of [2 ** 53, -(2 ** 60), 1.5e300]) {
      ok(hintsOf(() => of({ next: index }), { indexOf: 'next' }).includes(hint), String(index));
      ok(hintsOf(() => of({}), { read: () => ({ index }) }).includes(hint), String(index));
    }
    for (const index of [2 ** 53 - 1, String(2n ** 63n)])
      deepStrictEqual(
        hintsOf(() => of({ next: index, at: {} }), { indexOf: 'next' }).filter(other => other === hint),
        [],
      );
  });

  it('gets an answer whose body takes longer than the timeout if the poll calls onArrival, or hints at that', () => {
    const { scheduler, pass } = virtualTime();
    const seenWith = (calls: boolean) => {
      const seen: unknown[] = [];
      const watching = watchSignals(
        (index, { onArrival }) => {
          if (index === undefined) return of({ n: 1 });
          if (calls) scheduler.schedule(onArrival, 1_000);
          return of({ n: 2 }).pipe(delay(90_000, scheduler));
        },
        { indexOf: 'n', scheduler, testing: { random: () => 0.5 } },
      ).subscribe(signal => {
        if (signal.kind === 'answer') seen.push(signal.answer.n);
        if (signal.kind === 'status' && signal.status.hint?.includes('onArrival')) seen.push('hint');
      });
      pass(240_000);
      watching.unsubscribe();
      return seen;
    };
    deepStrictEqual(seenWith(true).slice(0, 2), [1, 2]);
    deepStrictEqual([...new Set(seenWith(false))], [1, 'hint']);
  });

  it('knows by isOlder that an index goes back which is not decimal', () => {
    const answers = ['0_10', '0_30', '0_20'].map(n => ({ n, value: n }));
    const config = { indexOf: 'n', isOlder: (index: string, than: string) => index < than };
    const { kinds } = watched((_, nth) => (nth <= 3 ? of(answers[nth - 1]!) : NEVER), config);
    deepStrictEqual(kinds, ['answer', 'answer', 'gap', 'answer']);
  });

  it('drops the index at another log, with a gap before the next answer', () => {
    const log = (id: string, n: number, ...items: string[]) => of({ id, n, items });
    const { asked, signals } = watched<{ id: string; n: number; items: string[] }>(
      (index, nth) => {
        if (nth === 1) return log('a', 5, 'x');
        // Made anew: it counts from 1 again, and its first events are not known.
        if (nth === 2) return log('b', 3, 'lost');
        return index === undefined ? log('b', 4, 'now') : NEVER;
      },
      { indexOf: 'n', read: ({ id }) => ({ handle: id }) },
    );
    deepStrictEqual(asked, [undefined, '5', undefined, '4']);
    const seen = signals.map(signal => {
      if (signal.kind === 'gap') return signal.gap.reason;
      return signal.kind === 'answer' ? [signal.answer.items, signal.checkpoint?.handle] : signal.kind;
    });
    deepStrictEqual(seen, [[['x'], 'a'], 'another_log', [['now'], 'b']]);
  });

  it('backs off if there are two logs behind one address', () => {
    const { asked, signals } = watched<{ id: string; n: number }>(
      (_, nth) => of({ id: nth % 2 === 0 ? 'a' : 'b', n: nth }),
      { indexOf: 'n', read: ({ id }) => ({ handle: id }) },
    );
    ok(asked.length < 40, `${asked.length} polls in a minute`);
    ok(signals.some(({ kind }) => kind === 'gap'));
  });

  it('learns from a checkpoint that the log is another one by now', () => {
    const { asked, signals } = watched<{ id: string; n: number }>(
      (index, nth) => (nth < 3 ? of({ id: 'b', n: 7 + nth }) : NEVER),
      {
        read: ({ id, n }) => ({ handle: id, index: n }),
        from: { index: '5', at: Date.UTC(2026, 0, 1), handle: 'a' },
      },
    );
    deepStrictEqual(asked, ['5', undefined, '9']);
    deepStrictEqual(signals[0]?.kind === 'gap' && signals[0].gap.reason, 'another_log');
  });

  it('has a gap for each unanswered poll of a service that does not give an answer again', () => {
    const config = {
      indexOf: 'id',
      redelivers: false,
      read: ({ items }: Session) => ({ isEmpty: items.length === 0 }),
    };
    const session = (...items: string[]) => ({ id: 's', items });
    const { asked, signals } = watched<Session>(
      (_, nth) => {
        if (nth === 3) return throwError(() => new Error('cut'));
        return nth < 6 ? of(session('tick')) : NEVER;
      },
      config,
      10_000,
    );
    const seen = signals.map(signal => (signal.kind === 'gap' ? signal.gap.reason : signal.kind));
    deepStrictEqual(seen, ['answer', 'answer', 'unanswered', 'answer', 'answer']);
    strictEqual(asked.length, 6);
  });

  it('asks ack for an empty answer without an index, which may end the watch', () => {
    const acks: unknown[] = [];
    const { asked } = watched<{ n?: number; closed?: boolean }>(
      (_, nth) => of(nth === 1 ? { n: 5 } : { closed: true }),
      {
        indexOf: 'n',
        read: ({ closed }) => ({ isEmpty: closed === true }),
        ack: ({ closed }, { index }) => {
          acks.push([closed, index]);
          return closed ? of({ watch: 'end' } as const) : undefined;
        },
      },
    );
    deepStrictEqual(acks, [
      [undefined, '5'],
      [true, '5'],
    ]);
    strictEqual(asked.length, 2);
  });

  for (const ack of [undefined, () => undefined]) {
    it(`completes after an answer that closes the log, ${ack ? 'with' : 'without'} an ack`, () => {
      const { scheduler, pass } = virtualTime();
      const seen: string[] = [];
      let polls = 0;
      watchSignals((index: string | undefined) => of({ n: Number(index ?? 0) + 1, nth: ++polls }), {
        read: ({ n }) => ({ index: n, isClosed: n === 3 }),
        ...(ack && { ack }),
        scheduler,
      }).subscribe({
        next: signal => seen.push(signal.kind === 'status' ? signal.status.state : signal.kind),
        complete: () => seen.push('complete'),
      });
      pass(60_000);
      deepStrictEqual(seen.slice(-3), ['answer', 'closed', 'complete']);
      deepStrictEqual([polls, seen.filter(kind => kind === 'answer').length], [3, 3]);
    });
  }

  it('drops the index if an error says that it is gone, and asks `recovery` about all others', () => {
    const gone = new Error('compacted');
    const errors = [undefined, gone, new Error('down')];
    const asked: unknown[] = [];
    const { signals, asked: indexes } = watched<{ n: number }>(
      (index, nth) => {
        const error = errors[nth - 1];
        if (error) return throwError(() => error);
        return nth > 4 ? NEVER : of({ n: nth });
      },
      {
        indexOf: 'n',
        isGone: error => error === gone,
        recovery: error => {
          asked.push(error);
          return { kind: 'retry' };
        },
      },
    );
    deepStrictEqual([asked, indexes], [[errors[2]], [undefined, '1', undefined, undefined, '4']]);
    const seen = signals.map(signal => (signal.kind === 'gap' ? signal.gap.reason : signal.kind));
    deepStrictEqual(seen, ['answer', 'index_rejected', 'answer']);
  });

  it('has no gap after an error that means no news, although nothing is given twice', () => {
    const { signals } = watched<Session>(
      (index, nth) => {
        if (index === undefined) return of({ id: 's', items: [] });
        return nth % 3 === 0 ? of({ id: 's', items: ['tick'] }) : throwError(() => new Error('408'));
      },
      {
        indexOf: 'id',
        read: ({ items }) => ({ isEmpty: items.length === 0 }),
        redelivers: false,
        recovery: () => ({ kind: 'no_news' }),
      },
    );
    deepStrictEqual(
      signals.filter(({ kind }) => kind === 'gap'),
      [],
    );
  });

  it('says that a first poll is held, and still does after its timeout', () => {
    const { scheduler, pass } = virtualTime();
    const hints: (string | undefined)[] = [];
    const watching = watchSignals(() => NEVER, { indexOf: 'n', scheduler }).subscribe(signal => {
      if (signal.kind === 'status') hints.push(signal.status.hint);
    });
    pass(160_000);
    watching.unsubscribe();
    const [none, ...others] = hints;
    strictEqual(none, undefined);
    deepStrictEqual(
      [...new Set(others)],
      ['a poll without an index is held: does the first request wait for news?'],
    );
  });

  it('takes repeats from two caches for no news, however they alternate', () => {
    const { asked, kinds } = watched<Entry>(
      (_, nth) => of(nth % 2 === 0 ? { n: 5, value: 'x' } : { n: 7, value: 'y' }),
      { indexOf: 'n', isState: true, retention: 300_000 },
      20_000,
    );
    deepStrictEqual(kinds, ['answer', 'gap', 'answer']);
    ok(asked.length <= 26, `${asked.length} polls`);
  });

  it('has no index where a path leads nowhere, and rejects an invalid path', () => {
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

  it('of states needs a key if a function reads the index, and says so', () => {
    throws(
      () => watch(() => NEVER, { isState: true, indexOf: (answer: { readonly rev: string }) => answer.rev }),
      /^InputError: read must be a function whose result has a key, with isState/,
    );
    const errors: unknown[] = [];
    watch(() => of({ rev: '1' }), { isState: true, indexOf: ({ rev }) => rev, read: () => ({}) }).subscribe({
      error: (error: unknown) => errors.push(error),
    });
    match(String(errors[0]), /^InputError: read must be a function whose result has a key, with isState/);
  });

  it('is aborted by a timeout and by unsubscribing, so that a hanging server holds one connection at most', () => {
    const { scheduler, pass } = virtualTime();
    const open = new Set<AbortSignal>();
    const watching = watch(hanging(open), { scheduler, timeout: 5_000 }).subscribe();
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
    const watching = watch((_, given) => {
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
      watch((_, { signal }) => (signal.aborted ? [] : NEVER))
        .subscribe()
        .unsubscribe();
      strictEqual(made, 1);
    } finally {
      globalThis.AbortController = AbortController;
    }
  });
});
