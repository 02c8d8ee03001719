import { deepStrictEqual, ok } from 'node:assert';
import { delay, NEVER, of, type Observable } from 'rxjs';
import { watchSignals, type IndexingConfig, type WatchSignal } from 'lobby-rx';
import { virtualTime } from '../virtual-time.js';

interface State {
  readonly tag: string;
  readonly value: string;
  readonly took?: number;
  /** Where the log ends. */
  readonly end?: string;
}

const HINT = 'does a cache answer?';

/** What a watch of these answers emits in a while. `nth` counts the polls from 1. */
function watched(
  answer: (nth: number, index: string | undefined) => Observable<State>,
  { ms = 60_000, ...config }: Partial<IndexingConfig<State>> & { readonly ms?: number } = {},
) {
  const { scheduler, pass } = virtualTime();
  const signals: WatchSignal<State>[] = [];
  let polls = 0;
  const watching = watchSignals<State>(index => answer(++polls, index).pipe(delay(20, scheduler)), {
    indexOf: 'tag',
    scheduler,
    testing: { random: () => 0.5 },
    ...config,
  }).subscribe(signal => signals.push(signal));
  pass(ms);
  watching.unsubscribe();
  const seen = signals.flatMap(signal => {
    if (signal.kind === 'answer') return [signal.answer.value];
    return signal.kind === 'gap' ? [`gap ${signal.gap.reason}`] : [];
  });
  const hints = signals.flatMap(signal =>
    signal.kind === 'status' && signal.status.hint !== undefined ? [signal.status.hint] : [],
  );
  return { polls, seen, hints };
}

describe('an answer at once under the index that was sent', () => {
  for (const retention of [Infinity, 300_000])
    for (const indexOf of ['tag', (state: State) => state.tag] as const)
      it(`is delivered if it differs, once a second, with a hint (${typeof indexOf}, ${retention})`, () => {
        const { polls, seen, hints } = watched(nth => of({ tag: '7', value: 'a', took: nth }), {
          indexOf,
          retention,
        });
        ok(polls <= 64, `${polls} polls in a minute`);
        deepStrictEqual(new Set(seen), new Set(['a']));
        deepStrictEqual([hints.length, hints[0]?.includes(HINT)], [1, true]);
      });

  it('is delivered at full speed, without a hint, if the service gives nothing twice', () => {
    const { seen, hints } = watched(nth => (nth <= 40 ? of({ tag: '7', value: String(nth) }) : NEVER), {
      redelivers: false,
      ms: 1_000,
    });
    deepStrictEqual([seen.length, hints], [40, []]);
  });

  it('loses no news, whatever comes again', () => {
    const values = ['a', 'b', 'a', 'b', 'a'];
    const { seen } = watched(nth => (nth <= 5 ? of({ tag: '7', value: values[nth - 1]! }) : NEVER));
    deepStrictEqual(seen, values);
  });
});

describe('an answer at once that has come before', () => {
  it('is a state that has changed back if the same poll brings it twice, and comes with a gap', () => {
    // Its index is a hash of the state.
    const states = ['A', 'B', 'A'];
    let now = 0;
    const { polls, seen } = watched((nth, index) => {
      if (nth === 2 || nth === 3) now++;
      return index === states[now] ? NEVER : of({ tag: states[now]!, value: states[now]! });
    });
    deepStrictEqual(seen, ['A', 'B', 'gap index_backwards', 'A']);
    ok(polls <= 5, `${polls} polls`);
  });

  it('is no news if it is one of those of sixteen servers that take turns', () => {
    const { polls, seen } = watched(nth => of({ tag: `t${nth % 16}`, value: `v${nth % 16}` }));
    deepStrictEqual([seen.length, new Set(seen).size], [16, 16]);
    ok(polls <= 64 + 16, `${polls} polls in a minute`);
  });
});

describe('a log that is restored from a copy', () => {
  /** Lacks its last events after six, as many as that. They come again, and another one. */
  const restored = (lacking: number, answerAhead: (place: number, end: number) => State) => {
    const all = 'abcdefg'.split('');
    let end = 6;
    return watched(
      (nth, index) => {
        if (nth === 7) end -= lacking;
        if (nth === 8) end = all.length;
        const place = Number(index ?? 0);
        if (place > end) return of(answerAhead(place, end));
        return place < end ? of({ tag: String(place + 1), value: all[place]! }) : NEVER;
      },
      { read: ({ tag, value, end }) => ({ index: tag, isEmpty: value === '', end }), ms: 9_000 },
    );
  };

  it('gives what comes again, at full speed and without a hint, if it says where it ends', () => {
    const { seen, hints } = restored(4, (place, end) => ({
      tag: String(place),
      value: '',
      end: String(end),
    }));
    deepStrictEqual([seen.join(''), hints], ['abcdefgap index_backwardscdefg', []]);
  });

  for (const says of [true, false])
    it(`gives the last event again ${says ? 'if it says where it ends' : 'if only its index goes back'}`, () => {
      const { seen } = restored(1, (place, end) => ({
        tag: String(says ? place : end),
        value: '',
        ...(says && { end: String(end) }),
      }));
      deepStrictEqual(seen.filter(each => !each.startsWith('gap')).join(''), 'abcdeffg');
      deepStrictEqual(seen[6], 'gap index_backwards');
    });
});

describe('equal news that moves forward', () => {
  it('is not paced if five come in a second', () => {
    const { scheduler, pass } = virtualTime();
    const at: number[] = [];
    let sent = 0;
    const start = scheduler.now();
    // Every 200 ms there is another one, and the service keeps ten.
    const watching = watchSignals<State>(
      (index = '0') => {
        const made = (scheduler.now() - start) / 200;
        const next = Math.max(Number(index), Math.floor(made) - 10) + 1;
        const wait = Math.max(20, (next - made) * 200);
        sent++;
        return of({ tag: String(next), value: 'same' }).pipe(delay(wait, scheduler));
      },
      { indexOf: 'tag', scheduler },
    ).subscribe(signal => {
      if (signal.kind === 'answer') at.push(Number(signal.answer.tag));
    });
    pass(12_000);
    watching.unsubscribe();
    deepStrictEqual(
      at,
      at.map((_, i) => at[0]! + i),
    );
    ok(at.length >= 50, `${at.length} of ${sent}`);
  });

  it('is paced if more than ten come in a second for long', () => {
    const { polls } = watched(nth => of({ tag: String(nth), value: 'same' }));
    ok(polls <= 640 && polls > 590, `${polls} polls in a minute`);
  });
});
