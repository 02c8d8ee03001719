import { deepStrictEqual, throws } from 'node:assert';
import * as t from 'io-ts';
import { NEVER, of, type Observable } from 'rxjs';
import {
  createClient,
  endpoint,
  eventsWatch,
  struct,
  type Client,
  type ClientConfig,
  type IdentityEventList,
  type Transport,
  type WatchConfig,
} from 'lobby-rx';
import { rawEventsWatch } from '../../src/endpoint/index.js';
import { identityEventList, WatchData } from 'lobby-rx/codecs';
import { virtualTime } from '../virtual-time.js';

interface Batch {
  readonly events: readonly object[];
  readonly watch: { readonly index: string };
}

const batch = (index: number, ...names: string[]): Batch => ({
  events: names.map(name => ({ kind: { [name]: 1 }, ts: '1' })),
  watch: { index: `${index}` },
});
/**
 * News, nothing, the same again, news; an index that falls back, with news and with what came
 * before.
 */
const ANSWERS = [batch(1, 'x'), batch(2), batch(3, 'x'), batch(4, 'x', 'y'), batch(2, 'z'), batch(3, 'z')];

/** A config for a client in virtual time whose polls get these answers one after the other. */
function scripted(answers: readonly unknown[] = ANSWERS) {
  const { scheduler, pass } = virtualTime();
  const asked: string[] = [];
  const transport: Transport = ({ url }) => {
    const { pathname, searchParams } = new URL(url);
    const nth = asked.push(`${pathname} ${searchParams.get('watch_index') ?? 'now'}`) - 1;
    const text = JSON.stringify(answers[nth]);
    return nth < answers.length ? of({ status: 200, headers: { get: () => null }, text }) : NEVER;
  };
  const config = { url: 'https://a.example', token: 't', transport, scheduler, testing: { random: () => 0 } };
  return { config, pass, asked };
}

const names = ({ events }: Pick<IdentityEventList, 'events'>) =>
  (events as readonly object[])
    .map(event => ('name' in event ? event.name : Object.keys((event as { kind: object }).kind)[0]))
    .join('+');

/** What a watch emits, and what it acknowledges. */
function outcome(
  watched: (client: Client, config: WatchConfig<IdentityEventList>) => Observable<unknown>,
  more: Partial<ClientConfig> = {},
) {
  const { config, pass, asked } = scripted();
  const acked: string[] = [];
  const ack = (list: IdentityEventList) => void acked.push(names(list));
  const seen: string[] = [];
  const watching = watched(createClient({ ...config, ...more }), { ack }).subscribe(list =>
    seen.push(names(list as IdentityEventList)),
  );
  pass(60_000);
  watching.unsubscribe();
  return { seen, acked, asked };
}

const EMITTED = ['x', 'x+y', 'z'];
const ACKNOWLEDGED = ['x', '', '', 'x+y', 'z', ''];

/** The endpoint of live events at another path, which says nothing of news. */
const { method, service, query, response } = eventsWatch;
const elsewhere = { method, service, query, response, path: '/own/events' };

describe('the news of a watch of live events', () => {
  it('is the same in every kind of watch: an empty answer and a repeat are acknowledged without events', () => {
    for (const { seen, acked } of [
      outcome((client, config) => client.events.batches(config)),
      outcome((client, config) => client.watch(eventsWatch, {}, config)),
      outcome((client, config) => client.watch(rawEventsWatch, {}, config as never)),
    ])
      deepStrictEqual([seen, acked], [EMITTED, ACKNOWLEDGED]);
  });

  it('is the same at an endpoint that replaces the built-in one', () => {
    const { seen, acked, asked } = outcome((client, config) => client.events.batches(config), {
      endpoints: { eventsWatch: elsewhere },
    });
    deepStrictEqual([seen, acked, asked[1]], [EMITTED, ACKNOWLEDGED, '/own/events 1']);
  });

  it('is the same with kinds of events of your own', () => {
    const codec = struct('Own', {});
    const { seen, acked } = outcome((client, config) => client.events.batches(config), {
      kinds: { unused: codec },
    });
    deepStrictEqual([seen, acked], [EMITTED, ACKNOWLEDGED]);
  });

  it('is the same for a feed at an endpoint of your own', () => {
    const { config, pass } = scripted();
    const acked: string[] = [];
    const own = { ...elsewhere, response: identityEventList({}) };
    const { events } = createClient({ ...config, endpoints: { eventsWatch: own } });
    const { unknown$, gap$ } = events.createFeed({ ack: list => void acked.push(names(list)) });
    const seen: string[] = [];
    gap$.subscribe(({ reason }) => seen.push(reason));
    unknown$.subscribe(({ name }) => seen.push(name));
    pass(60_000);
    deepStrictEqual([seen, acked], [['x', 'x', 'y', 'index_backwards', 'z'], ACKNOWLEDGED]);
  });

  it('is decided by `isEmpty` and `keyOf` of a replaced endpoint', () => {
    const isEmpty = (list: IdentityEventList) => names(list) === 'z';
    const { seen } = outcome((client, config) => client.events.batches(config), {
      endpoints: { eventsWatch: { ...elsewhere, isEmpty, keyOf: () => ({}) } },
    });
    deepStrictEqual(seen, ['x', '', 'x', 'x+y']);
  });

  it('is decided by `read` of the watch, if it has one', () => {
    const { seen } = outcome((client, config) =>
      client.events.batches({
        ...config,
        read: list => ({ isEmpty: false, key: `${list.watch.index} ${names(list)}` }),
      }),
    );
    deepStrictEqual(seen, ['x', '', 'x', 'x+y', 'z', 'z']);
  });

  it('is recognized wherever the index stands, and however the text is laid out', () => {
    const event = '{"kind": {"chat": {"watch": {"index": "5"}}}, "ts": "1"}';
    const texts = [
      (index: number) => `{"watch": {"index": "${index}"}, "events": [${event}]}`,
      (index: number) => `{"events": [${event}], "watch":\n{"index": "${index}"} }\n`,
      (index: number) => `{"events": [${event}], "watch": {"index": "${index}"}, "more": 1}`,
    ];
    for (const textOf of texts) {
      const { scheduler, pass } = virtualTime();
      let polls = 0;
      const transport: Transport = () =>
        ++polls > 3
          ? NEVER
          : of({ status: 200, headers: { get: () => null }, text: textOf(Math.min(polls, 2)) });
      const client = createClient({ url: 'https://a.example', token: 't', transport, scheduler });
      const seen: string[] = [];
      const watching = client.events.batches().subscribe(list => seen.push(names(list)));
      pass(5_000);
      watching.unsubscribe();
      deepStrictEqual(seen, ['chat'], textOf(1));
    }
  });

  it('is different if only the text of an event is', () => {
    const own = (index: string) => ({ kind: { chat: { watch: { index } } }, ts: '1' });
    const { config, pass } = scripted(
      ['5', '6', '6'].map((inner, n) => ({ events: [own(inner)], watch: { index: `${n}` } })),
    );
    let seen = 0;
    const watching = createClient(config)
      .events.batches()
      .subscribe(() => seen++);
    pass(5_000);
    watching.unsubscribe();
    deepStrictEqual(seen, 2);
  });
});

describe('the news of a watch of an endpoint of your own', () => {
  const Numbers = struct('Numbers', { n: t.number, watch: WatchData });
  const own = {
    method: 'GET',
    service: 'api',
    path: '/numbers',
    query: struct('NumbersQuery', {}, { watch_index: t.string }),
    response: Numbers,
  } as const;
  const numbers = (...all: number[]) => all.map((n, i) => ({ n, watch: { index: `${i + 1}` } }));

  it('is decided by its `isEmpty`, `keyOf` and `withoutNews`', () => {
    const { config, pass } = scripted(numbers(1, 0, 11, 2, 2));
    const parity = endpoint({
      ...own,
      isEmpty: ({ n }) => n === 0,
      keyOf: ({ n }) => n % 10,
      withoutNews: answer => ({ ...answer, n: -1 }),
    });
    const acked: number[] = [];
    const seen: number[] = [];
    const ack = ({ n }: { n: number }) => void acked.push(n);
    const watching = createClient(config)
      .watch(parity, {}, { ack })
      .subscribe(({ n }) => seen.push(n));
    pass(10_000);
    watching.unsubscribe();
    deepStrictEqual(
      [seen, acked],
      [
        [1, 2],
        [1, 0, -1, 2, -1],
      ],
    );
  });

  for (const [isState, expected] of [
    [false, [1, 1, 0, 0, 1]],
    [true, [1, 0, 1]],
  ] as const) {
    it(`is each answer of a ${isState ? 'state that differs from the last one' : 'log'}`, () => {
      const { config, pass } = scripted(numbers(1, 1, 0, 0, 1));
      const seen: number[] = [];
      const watching = createClient(config)
        .watch(endpoint({ ...own, isState }), {})
        .subscribe(({ n }) => seen.push(n));
      pass(10_000);
      watching.unsubscribe();
      deepStrictEqual(seen, expected);
    });
  }

  it('is decided by functions only', () => {
    for (const part of ['isEmpty', 'keyOf', 'withoutNews'])
      throws(() => endpoint({ ...own, [part]: true }), new RegExp(`${part} must be a function`));
    throws(
      () =>
        createClient({
          ...scripted().config,
          endpoints: { eventsWatch: { ...elsewhere, isEmpty: 'never' as never } },
        }),
      /endpoints\.eventsWatch\.isEmpty must be a function/,
    );
  });
});
