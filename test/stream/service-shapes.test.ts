import { deepStrictEqual, ok } from 'node:assert';
import {
  defer,
  filter,
  map,
  mergeMap,
  take,
  throwError,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { watchSignals, type IndexingConfig, type WatchSignal } from 'lobby-rx';
import { virtualTime } from '../virtual-time.js';

/** When the events come, in ms: after a long silence, three at once, then one after the other. */
const TIMES = [200_000, 200_000, 200_000, ...Array.from({ length: 9 }, (_, i) => 210_000 + 5_000 * i)];
const EVENTS = TIMES.map((_, i) => i + 1);
const END_MS = 400_000;
/** Every seventh answer is lost on its way. */
const CUT_EVERY = 7;

/** A stand-in of a service: what it has for an index, or `undefined` as long as it holds a poll. */
interface StandIn<A> {
  readonly newsAfter: (index: string | undefined, now: number) => A | undefined;
  /** What it answers after 50 s without news. */
  readonly nothing: (index: string | undefined) => A;
}

/** Watches a stand-in. Returns its news, the reasons of gaps, and the number of polls. */
function watched<A>(
  make: (eventsUntil: (now: number) => readonly number[]) => StandIn<A>,
  configOf: () => IndexingConfig<A>,
) {
  const { scheduler, pass } = virtualTime();
  const start = scheduler.now();
  const { newsAfter, nothing } = make(now => EVENTS.filter((_, i) => TIMES[i]! <= now - start));
  let asked = 0;
  const signals: WatchSignal<A>[] = [];
  const poll = (index: string | undefined) => {
    asked++;
    const isCut = asked % CUT_EVERY === 0;
    const answer$ = held(scheduler, () => newsAfter(index, scheduler.now()), nothing(index));
    return isCut ? answer$.pipe(mergeMap(() => throwError(() => new Error('cut')))) : answer$;
  };
  const config = { scheduler, testing: { random: () => 0.5 }, ...configOf() };
  const watching = watchSignals<A>(poll, config).subscribe(signal => signals.push(signal));
  pass(END_MS);
  watching.unsubscribe();
  return {
    answers: signals.flatMap(signal => (signal.kind === 'answer' ? [signal.answer] : [])),
    gaps: signals.flatMap(signal => (signal.kind === 'gap' ? [signal.gap.reason] : [])),
    asked,
  };
}

function held<A>(scheduler: SchedulerLike, news: () => A | undefined, nothing: A): Observable<A> {
  return defer(() => timer(1, 100, scheduler)).pipe(
    map(tick => news() ?? (tick >= 500 ? nothing : undefined)),
    filter(answer => answer !== undefined),
    take(1),
  );
}

const itemsAfter = (events: readonly number[], last: number) => {
  const items = events.filter(id => id > last);
  return items.length > 0 ? { items } : undefined;
};

interface Items {
  readonly items: readonly number[];
}

describe('a watch of a service of a shape that the page names', () => {
  it('sees each update of a bot like those of Telegram, which has no index while it is idle', () => {
    const { answers, gaps, asked } = watched<Items>(
      eventsUntil => ({
        // The offset is that of the first update that is wanted.
        newsAfter: (offset, now) => itemsAfter(eventsUntil(now), Number(offset) - 1),
        nothing: () => ({ items: [] }),
      }),
      () => ({
        read: ({ items }) => ({
          index: items.length > 0 ? items.at(-1)! + 1 : undefined,
          isEmpty: items.length === 0,
        }),
        from: '0',
      }),
    );
    deepStrictEqual([answers.flatMap(({ items }) => items), gaps], [EVENTS, []]);
    ok(asked < 30, `${asked} polls`);
  });

  it('sees each message of a chat like those of Nextcloud Talk, whose last id is in a header', () => {
    const { answers, gaps, asked } = watched<Items & { readonly lastGiven: string | undefined }>(
      eventsUntil => ({
        newsAfter: (last, now) => {
          const news = itemsAfter(eventsUntil(now), Number(last));
          return news && { ...news, lastGiven: String(news.items.at(-1)) };
        },
        nothing: () => ({ items: [], lastGiven: undefined }),
      }),
      () => ({
        read: ({ items, lastGiven }) => ({ index: lastGiven, isEmpty: items.length === 0 }),
        from: '0',
      }),
    );
    deepStrictEqual([answers.flatMap(({ items }) => items), gaps], [EVENTS, []]);
    ok(asked < 30, `${asked} polls`);
  });

  it('sees each notification of a bus like that of Odoo', () => {
    const { answers, gaps, asked } = watched<readonly { readonly id: number }[]>(
      eventsUntil => ({
        newsAfter: (last, now) => itemsAfter(eventsUntil(now), Number(last))?.items.map(id => ({ id })),
        nothing: () => [],
      }),
      () => ({
        read: notifications => ({
          index: notifications.at(-1)?.id,
          isEmpty: notifications.length === 0,
        }),
        from: '0',
      }),
    );
    deepStrictEqual([answers.flat().map(({ id }) => id), gaps], [EVENTS, []]);
    ok(asked < 30, `${asked} polls`);
  });

  it('sees each message of a queue like those of SQS, which come again until they are deleted', () => {
    const deleted = new Set<number>();
    const hiddenUntil = new Map<number, number>();
    let received = 0;
    const { answers, gaps, asked } = watched<Items & { readonly n: number }>(
      eventsUntil => ({
        newsAfter: (_, now) => {
          const [item] = eventsUntil(now).filter(id => !deleted.has(id) && (hiddenUntil.get(id) ?? 0) <= now);
          if (item === undefined) return undefined;
          hiddenUntil.set(item, now + 30_000);
          return { items: [item], n: ++received };
        },
        nothing: () => ({ items: [], n: ++received }),
      }),
      () => ({
        read: ({ items, n }) => ({ index: n, isEmpty: items.length === 0 }),
        ack: ({ items }) => {
          for (const item of items) deleted.add(item);
        },
      }),
    );
    const seen = answers.flatMap(({ items }) => items);
    deepStrictEqual([[...seen].sort((a, b) => a - b), gaps], [EVENTS, []]);
    ok(asked < 35, `${asked} polls`);
  });

  it('shows each template of a node like that of Bitcoin, which is a state', () => {
    interface Template {
      readonly height: number;
      readonly longpollid: string;
    }
    const template = (height: number): Template => ({ height, longpollid: `after ${height}` });
    const { answers, gaps, asked } = watched<Template>(
      eventsUntil => ({
        newsAfter: (longpollid, now) => {
          const current = template(eventsUntil(now).length);
          return current.longpollid === longpollid ? undefined : current;
        },
        nothing: longpollid => ({ ...template(Number(longpollid?.slice(6))), longpollid: longpollid! }),
      }),
      () => ({
        indexOf: 'longpollid',
        isState: true,
      }),
    );
    const heights = answers.map(({ height }) => height);
    deepStrictEqual([heights[0], heights.at(-1), gaps], [0, 12, []]);
    deepStrictEqual(heights, [...new Set(heights)]);
    ok(asked < 30, `${asked} polls`);
  });
});
