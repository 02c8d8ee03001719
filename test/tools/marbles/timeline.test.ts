import { deepStrictEqual } from 'node:assert';
import { asyncScheduler, merge, NEVER, tap } from 'rxjs';
import { createClient, TransportError, type Transport, type WatchStatus } from 'lobby-rx';
import { CONNECTING } from '../../connecting.js';
import type { Item } from '../../../src/tools/marbles/item.js';
import { Timeline } from '../../../src/tools/marbles/timeline.js';
import { marbles } from '../../marbles.js';

const url = 'https://service.example';
const live = `${url}/identity/events/live`;
const headers = { get: () => null };
const batch = (index: string, ...kinds: string[]) => ({
  status: 200,
  headers,
  text: JSON.stringify({ events: kinds.map(kind => ({ kind: { [kind]: 1 }, ts: '' })), watch: { index } }),
});

/** An item as one short line. */
const word = ({ row, shape, from, to, tone, letter, text }: Item) =>
  [`${row.order} ${from}-${to ?? ''} ${shape} ${tone}`, letter, text].filter(Boolean).join(' | ');
const wordsOf = (items: Iterable<Item>) => [...items].map(word);

describe('the timeline of marbles', () => {
  it(
    'has a row for a watch: polls with their index and its age, events, waits, gaps and the status',
    marbles(({ cold, expectObservable, flush }) => {
      const answers: Transport[] = [
        () => cold('-(a|)', { a: batch('1') }),
        () => cold('3s (a|)', { a: batch('2', 'chat', 'chat') }),
        () => cold('-(a|)', { a: { status: 502, headers, text: '' } }),
        () => cold('-#'),
        () => cold('-(a|)', { a: batch('3') }),
        () => NEVER,
      ];
      const timeline = new Timeline(() => asyncScheduler.now());
      const seen = new Set<Item>();
      const look = () => timeline.changes().forEach(item => seen.add(item));
      const client = createClient({
        url,
        token: 't0ken',
        testing: { random: () => 0.5 },
        transport: request => answers.shift()!(request),
        log: timeline.log,
      });
      const { feed } = client.events;
      const unseen = cold('2500ms x').pipe(tap(look));
      expectObservable(merge(feed.all$.pipe(tap(timeline.event)), unseen), '10s !');
      flush();
      look();
      deepStrictEqual(
        timeline.rows.map(({ name }) => name.replace(/^\d+ /, '')),
        ['/identity/events/live'],
      );
      deepStrictEqual(wordsOf(seen), [
        '0 0-1 line connecting | connecting',
        '0 0-1 poll no_news | poll from now; 200 after 0.0 s',
        '0 1-3002 line live | live',
        '0 1-3001 poll news | 1, 0.0 s old | poll from index 1, 0.0 s old; 200 after 3.0 s',
        '0 3001-3001 marble unknown | C | chat',
        '0 3001-3001 marble unknown | C | chat',
        '0 3001-3002 poll failed | 2, 0.0 s old | poll from index 2, 0.0 s old; 502 after 0.0 s',
        '0 3002-3754 line retrying | retrying',
        `0 3002-3002 sign failed | ✕ | failed: 502 (GET ${live}?watch_index=2)`,
        '0 3002-3252 wait failed | waits for 0.3 s, after 1 failure',
        `0 3252-3253 poll failed | 2, 0.3 s old | poll from index 2, 0.3 s old; failed after 0.0 s: the connection was lost: error (GET ${live}?watch_index=2)`,
        `0 3253-3253 sign failed | ✕ | failed: the connection was lost: error (GET ${live}?watch_index=2)`,
        '0 3253-3753 wait failed | waits for 0.5 s, after 2 failures',
        '0 3753-3754 poll no_news | 2, 0.8 s old | poll from index 2, 0.8 s old; 200 after 0.0 s',
        '0 3754-11000 line live | live',
        '0 3754-11000 poll paused | 3, 0.0 s old | poll from index 3, 0.0 s old; aborted after 7.2 s',
        '0 11000- line idle | left by its last subscriber',
      ]);
      deepStrictEqual(
        [...seen].filter(({ shape }) => shape === 'marble').map(({ nth }) => nth),
        [0, 1],
      );
    }),
  );

  const request = { method: 'GET', url: `${live}?watch_index=1`, requestId: 1, pollOf: 7 };
  const turn = { kind: 'poll_end', watchId: 7, wait: 0, attempt: 0, error: undefined } as const;

  it('cuts a wait short if a poll is sent sooner, and shows why', () => {
    const timeline = new Timeline(() => 60);
    timeline.log({ ...request, kind: 'request', at: 0 });
    timeline.log({ ...request, kind: 'abort', at: 10, ms: 10 });
    timeline.log({ ...turn, why: 'woken', at: 10, wait: 900 });
    timeline.log({ ...request, requestId: 2, kind: 'request', at: 50 });
    deepStrictEqual(wordsOf(timeline.changes()), [
      '0 0-10 poll woken | 1 | poll from index 1; aborted after 0.0 s',
      '0 10-10 sign woken | ☀ | the machine woke',
      '0 10-50 wait woken | waits for 0.9 s',
      '0 50- poll open | 1 | poll from index 1',
    ]);
    deepStrictEqual(wordsOf(timeline.changes()), []);
  });

  it('shows the status, and when the watch was limited, at a gap or over', () => {
    const timeline = new Timeline(() => 0);
    const become = (at: number, state: WatchStatus['state']) =>
      timeline.log({ kind: 'status', watchId: 7, at, status: { ...CONNECTING, state } });
    become(0, 'connecting');
    timeline.log({ ...request, kind: 'request', at: 0 });
    become(2_000, 'live');
    become(2_500, 'live');
    deepStrictEqual(wordsOf(timeline.changes()), [
      '0 0-2000 line connecting | connecting',
      '0 0- poll open | 1 | poll from index 1',
      '0 2000- line live | live',
    ]);
    become(3_000, 'offline');
    const error = new TransportError('unreachable', 'nothing listens', { method: 'GET', url: live });
    timeline.log({ ...turn, why: 'failed', at: 3_000, error });
    become(3_001, 'retrying');
    timeline.log({ ...turn, why: 'retry_after', at: 3_001, error: new Error('s3cret') });
    timeline.log({ kind: 'gap', watchId: 7, at: 3_002, reason: 'silence', index: '1' });
    become(3_003, 'closed');
    timeline.log({ ...turn, why: 'ended', at: 3_003 });
    deepStrictEqual(wordsOf(timeline.changes()), [
      '0 2000-3000 line live | live',
      '0 3000-3001 line offline | offline',
      '0 0- poll failed | 1 | poll from index 1',
      `0 3000-3000 sign failed | ✕ | failed: nothing listens (GET ${live})`,
      '0 3001-3003 line retrying | retrying',
      '0 3001-3001 sign retry_after | ⏲ | the service asked to wait',
      '0 3002-3002 sign gap | ◇ | gap: silence',
      '0 3003- line closed | the watch has ended',
      '0 3003-3003 sign ended | ■ | the watch ended',
    ]);
  });

  it('has a row for the requests of several clients that belong to no watch', () => {
    const timeline = new Timeline(() => 0);
    const call = (requestId: number, path: string) => ({ method: 'GET', url: url + path, requestId });
    timeline.event({ kind: 'early' });
    timeline.log({ ...call(1, '/a'), kind: 'request', at: 0 });
    timeline.log({ ...call(1, '/b'), kind: 'request', at: 1 });
    timeline.log({ ...call(1, '/b'), kind: 'failure', at: 2, ms: 1, error: new Error('s3cret') });
    timeline.log({ ...call(1, '/a'), kind: 'answer', at: 3, ms: 3, status: 404 });
    deepStrictEqual(timeline.rows, [{ order: 0, name: 'requests' }]);
    deepStrictEqual(wordsOf(timeline.changes()), [
      '0 0-0 marble early | E | early',
      '0 0-3 poll failed | GET /a; 404 after 0.0 s',
      '0 1-2 poll failed | GET /b; failed after 0.0 s',
    ]);
  });

  it('names the row of a watch by its log, or by the answer before its first event', () => {
    const timeline = new Timeline(() => 0);
    const [ada, grace] = [timeline.watch('Ada'), timeline.watch('Grace')];
    grace.event({ kind: 'lost' }); // There is no row yet.
    for (const pollOf of [7, 8]) {
      timeline.log({ ...request, pollOf, kind: 'request', at: 0 });
      timeline.log({ ...request, pollOf, kind: 'answer', status: 200, at: 0, ms: 0 });
    }
    ada.log({ ...turn, why: 'news', at: 0 });
    grace.event({ kind: 'chat' });
    ada.event({ kind: 'chat' });
    deepStrictEqual(
      timeline.rows.map(({ name }) => name),
      ['Ada', 'Grace'],
    );
    const events = [...timeline.changes()].filter(({ shape }) => shape === 'marble');
    deepStrictEqual(
      events.map(({ row }) => row.name),
      ['Grace', 'Ada'],
    );
  });

  it('keeps no more than 5,000 changes for a picture that is not drawn', () => {
    const timeline = new Timeline(() => 0);
    for (let i = 0; i < 6_000; i++) timeline.event({ kind: `e${i}` });
    const kept = [...timeline.changes()].map(({ tone }) => tone);
    deepStrictEqual([kept.length, kept[0], kept.at(-1)], [5_000, 'e1000', 'e5999']);
  });
});
