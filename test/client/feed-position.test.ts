import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { firstValueFrom, NEVER, Observable, of, retry, Subject, take, type Subscription } from 'rxjs';
import { createClient, type EventFeed, type FeedConfig, type LogEntry, type Transport } from 'lobby-rx';
import { virtualTime } from '../virtual-time.js';
import { waitUntil } from '../wait-until.js';
import { virtualWorld } from '../virtual-world.js';

/**
 * A feed in virtual time. `watch` subscribes to it; `seen` has what subscribers have got, and the
 * gaps.
 */
function stage(config: FeedConfig = {}) {
  const { emulator, identity_id, client, pass, scheduler } = virtualWorld({ random: () => 0 });
  const feed: EventFeed = client.events.createFeed(config);
  const seen: string[] = [];
  feed.gap$.subscribe(({ reason }) => seen.push(reason));
  const watch = (count = Infinity): Subscription =>
    feed.unknown$.pipe(take(count)).subscribe({
      next: ({ name }) => seen.push(name),
      error: (error: unknown) => seen.push((error as Error).name),
    });
  const publish = (...names: string[]) => {
    for (const name of names) emulator.publish(identity_id, { [name]: 1 });
    pass(200);
  };
  const polls = () => emulator.requests.length;
  const pending = () => emulator.requests.filter(request => request.pending).length;
  return { feed, seen, watch, publish, polls, pending, pass, emulator, identity_id, scheduler };
}

describe('the position of a feed', () => {
  it('is kept without a subscriber, so that one that comes back misses nothing', () => {
    for (const linger of [0, 500, 1_000]) {
      const { seen, watch, publish, pass } = stage({ linger });
      const first = watch();
      publish('a');
      first.unsubscribe();
      pass(1_500);
      publish('b');
      watch();
      publish('c');
      deepStrictEqual(seen, ['a', 'b', 'c'], `linger ${linger}`);
    }
  });

  it('is kept by a subscriber that leaves and returns with an event, even if the next answer comes at once', async () => {
    let isOut = false;
    const transport: Transport = ({ url }) => {
      const at = Number(/watch_index=(\d+)/.exec(url)?.[1] ?? 0);
      const hasNews = isOut && at === 1;
      const events = hasNews ? ['a', 'b', 'c'].map(name => ({ kind: { [name]: 1 }, ts: '1' })) : [];
      const index = hasNews ? 2 : Math.max(at, 1);
      const watch = { index: String(index) };
      return of({ status: 200, headers: { get: () => null }, text: JSON.stringify({ events, watch }) });
    };
    const { feed } = createClient({
      url: 'https://a.example',
      token: 't',
      transport,
      watch: { linger: 0 },
    }).events;
    const seen: string[] = [];
    const watch = (): Subscription => feed.unknown$.subscribe(({ name }) => onEvent(name));
    const onEvent = (name: string) => {
      seen.push(name);
      if (seen.length > 1) return;
      watching.unsubscribe();
      watching = watch();
    };
    let watching = watch();
    isOut = true;
    await waitUntil(() => seen.includes('c'));
    watching.unsubscribe();
    deepStrictEqual(seen, ['a', 'b', 'c']);
  });

  it('expires after the retention, which is a gap', () => {
    const { seen, watch, publish, pass } = stage();
    const first = watch();
    publish('a');
    first.unsubscribe();
    publish('b');
    pass(400_000);
    watch();
    publish('c');
    deepStrictEqual(seen, ['a', 'silence', 'c']);
  });

  it('is as old as the contact before the last event, which may have waited for a subscriber', () => {
    const { seen, watch, publish, pass } = stage({ linger: 0 });
    const visit = () => {
      const visitor = watch();
      pass(5_000);
      visitor.unsubscribe();
    };
    visit();
    publish('a');
    pass(280_000);
    visit();
    publish('b');
    pass(25_000);
    // The service has kept b, but does not know the index behind a any more.
    visit();
    deepStrictEqual(seen, ['a', 'silence']);
  });

  it('is not renewed by an answer that only repeats old events with an old index', () => {
    const { seen, watch, publish, pass, emulator } = stage({ linger: 0 });
    const first = watch();
    publish('a');
    first.unsubscribe();
    pass(400_000);
    emulator.fault({ kind: 'repeat' });
    emulator.fault({ kind: 'html', status: 502 });
    watch();
    publish('b');
    pass(10_000);
    // That is an echo. The index had been forgotten, so the feed went on from now: who reloads at
    // the gap has b.
    deepStrictEqual(seen, ['a', 'silence']);
  });

  it('is as old as its index, although idle polls have held it: what comes without a poll may be missed', () => {
    const { seen, watch, publish, pass, emulator } = stage({ linger: 0 });
    const only = ({ url }: { url: string }) => url.includes('watch_index');
    const rest = emulator.fault({ kind: 'html', status: 504, after: 30_000 }, { times: 100, only });
    const first = watch();
    pass(250_000);
    first.unsubscribe();
    publish('a');
    pass(120_000);
    rest();
    watch();
    pass(500);
    deepStrictEqual(seen, ['silence']);
  });

  it('is kept over an error that ends the watch, such as an expired token', () => {
    const { seen, watch, publish, emulator, pass } = stage();
    watch();
    publish('a');
    emulator.fault({ kind: 'error', status: 403 });
    publish('b');
    pass(1_000);
    deepStrictEqual(seen, ['a', 'b', 'StatusError']);
    publish('c');
    watch();
    publish('d');
    deepStrictEqual(seen, ['a', 'b', 'StatusError', 'c', 'd']);
  });

  it('is not that of `from` once an answer has been acknowledged', () => {
    const { watch, publish, seen, pass } = stage({ from: '1767225600000', linger: 0 });
    publish('a');
    const first = watch();
    pass(500);
    first.unsubscribe();
    publish('b');
    watch();
    pass(500);
    deepStrictEqual(seen, ['a', 'b']);
  });

  it('does not move for status$ and gap$, which start no poll', () => {
    const { feed, watch, publish, polls, pass, seen } = stage();
    const states: string[] = [];
    feed.status$.subscribe(({ state }) => states.push(state));
    pass(5_000);
    strictEqual(polls(), 0);
    const first = watch();
    publish('a');
    first.unsubscribe();
    pass(5_000);
    const before = polls();
    publish('b');
    strictEqual(polls(), before);
    watch();
    pass(500);
    deepStrictEqual(seen, ['a', 'b']);
    deepStrictEqual(states, ['idle', 'connecting', 'live', 'idle', 'connecting', 'live']);
  });

  it('stays before an answer that comes without a subscriber, who gets it first if they return in time', () => {
    const acked: string[] = [];
    const { watch, publish, seen, pass, pending } = stage({
      linger: 1_000,
      ack: ({ events }) =>
        void acked.push(events.map(event => (event.kind === 'unknown' ? event.name : '')).join()),
    });
    const first = watch();
    publish('a');
    first.unsubscribe();
    publish('b');
    deepStrictEqual([seen, acked], [['a'], ['', 'a']]);
    // In time: the answer has been held.
    const second = watch();
    pass(1);
    deepStrictEqual(
      [seen, acked],
      [
        ['a', 'b'],
        ['', 'a', 'b'],
      ],
    );
    second.unsubscribe();
    publish('c');
    pass(2_000);
    strictEqual(pending(), 0);
    // Too late: it has been dropped, and is requested again.
    watch();
    pass(500);
    deepStrictEqual(
      [seen, acked],
      [
        ['a', 'b', 'c'],
        ['', 'a', 'b', 'c'],
      ],
    );
  });

  it('is within a batch if its last subscriber leaves there', () => {
    for (const wait of [100, 5_000]) {
      const { watch, publish, seen, pass } = stage();
      watch(1);
      publish('a', 'b', 'c');
      pass(wait);
      watch(1);
      pass(500);
      watch();
      pass(500);
      deepStrictEqual(seen, ['a', 'b', 'c'], `after ${wait} ms`);
    }
  });

  it('is behind a batch if its last subscriber leaves at the last event', () => {
    for (const linger of [0, 1_000]) {
      for (const wait of [100, 5_000]) {
        const { watch, publish, seen, pass } = stage({ linger });
        watch(1);
        publish('a');
        pass(wait);
        watch(2);
        publish('b', 'c');
        pass(wait);
        watch();
        publish('d');
        deepStrictEqual(seen, ['a', 'b', 'c', 'd'], `linger ${linger}, away for ${wait}`);
      }
    }
  });

  it('is behind that batch, too, if the next index comes from a machine whose clock is behind', () => {
    const { watch, publish, seen, pass, emulator } = stage({ linger: 0 });
    watch(1);
    pass(1_000);
    publish('a');
    emulator.fault({ kind: 'index_skewed' });
    watch();
    pass(1_000);
    publish('b');
    deepStrictEqual(seen, ['a', 'b']);
  });

  it('has a gap that is emitted once, even if its answer waits for a subscriber', () => {
    const { watch, publish, seen, pass } = stage({ from: { index: '1767225600000', at: 1 }, linger: 0 });
    publish('a', 'b');
    watch(1);
    pass(5_000);
    watch();
    pass(500);
    deepStrictEqual(seen, ['silence', 'a', 'b']);
  });

  it('waits as long as the service asks for, however often subscribers come and go', () => {
    const { watch, polls, pass, emulator, feed, seen } = stage({ linger: 0 });
    emulator.fault({ kind: 'rate_limited', wait: 60_000 });
    const states: string[] = [];
    feed.status$.subscribe(({ state, nextTry }) =>
      states.push(nextTry === undefined ? state : `${state} later`),
    );
    for (let n = 0; n < 10; n++) {
      const visitor = watch();
      pass(200);
      visitor.unsubscribe();
    }
    strictEqual(polls(), 1);
    deepStrictEqual(seen, []);
    const visits = Array<string[]>(10).fill(['retrying later', 'idle']).flat();
    deepStrictEqual(states, ['idle', 'connecting', ...visits]);
    watch();
    pass(70_000);
    ok(polls() > 1);
  });

  it('takes one event after the other, as often as one is asked for', async () => {
    const { feed, publish, pass, seen, watch } = stage();
    watch(1);
    publish('a', 'b', 'c', 'd');
    const next = firstValueFrom(feed.unknown$);
    pass(5_000);
    strictEqual((await next).name, 'b');
    watch();
    pass(500);
    deepStrictEqual(seen, ['a', 'c', 'd']);
  });

  it('causes no hot loop if a subscriber subscribes again at each error', () => {
    const { feed, polls, pass, emulator, seen, watch, publish } = stage();
    const rest = emulator.fault({ kind: 'error', status: 403 }, { times: 1_000 });
    const retrying = feed.all$.pipe(retry()).subscribe();
    pass(60_000);
    ok(polls() > 50 && polls() < 66, `${polls()} a minute`);
    retrying.unsubscribe();
    rest();
    watch();
    pass(2_000);
    publish('a');
    deepStrictEqual(seen, ['a']);
  });

  it('is given up without resume: each first subscriber starts from now, with a gap', () => {
    const { watch, publish, seen, pass } = stage({ resume: false });
    const first = watch();
    publish('a');
    first.unsubscribe();
    pass(1_500);
    publish('b');
    watch();
    publish('c');
    deepStrictEqual(seen, ['a', 'unwatched', 'c']);
  });

  it('is nowhere before the first answer, which is no gap', () => {
    const { watch, publish, seen, pass, emulator } = stage({ resume: false, linger: 0 });
    emulator.fault({ kind: 'stall_before_headers' });
    watch().unsubscribe();
    pass(1_500);
    watch();
    publish('a');
    deepStrictEqual(seen, ['a']);
  });

  it('is kept up to date for the `linger` of the client, on the clock of the feed, unless the feed has its own', () => {
    const { scheduler, pass } = virtualTime();
    let open = 0;
    const transport: Transport = () =>
      new Observable(() => {
        open++;
        return () => open--;
      });
    const config = { url: 'https://a.example', token: 't', transport };
    const left = (feed: EventFeed) => {
      feed.all$.subscribe().unsubscribe();
      const after = [open];
      pass(1_000);
      return [...after, open];
    };
    const { events } = createClient({ ...config, watch: { linger: 0 }, scheduler });
    deepStrictEqual(left(events.createFeed()), [0, 0]);
    deepStrictEqual(left(events.createFeed({ linger: 1_000 })), [1, 0]);
    deepStrictEqual(left(createClient(config).events.createFeed({ scheduler })), [1, 0]);
  });

  it('is not polled from while it waits for beforePoll and its last subscriber leaves', () => {
    const allowed$ = new Subject<void>();
    const { watch, polls, pass } = stage({ linger: 0, beforePoll: () => allowed$ });
    const visitor = watch();
    visitor.unsubscribe();
    allowed$.next();
    pass(1_000);
    deepStrictEqual([polls(), allowed$.observed], [0, false]);
  });

  it('is not polled from by a young poll on a new connection after its last subscriber has left', () => {
    const wake$ = new Subject<void>();
    const { watch, pending, pass } = stage({ linger: 0, wake$ });
    const visitor = watch();
    pass(5_000);
    wake$.next();
    pass(10);
    deepStrictEqual([pending(), wake$.observed], [1, true]);
    visitor.unsubscribe();
    deepStrictEqual([pending(), wake$.observed], [0, false]);
  });

  it('is logged when it is left and returned to, also while the service has asked for a wait', () => {
    const reasons: string[] = [];
    const stateOf = (entry: LogEntry) => (entry.kind === 'status' ? entry.status.state : entry.kind);
    const log: FeedConfig['log'] = entry =>
      reasons.push(entry.kind === 'poll_end' ? entry.why : stateOf(entry));
    const { watch, pass, emulator } = stage({ linger: 0, log });
    emulator.fault({ kind: 'rate_limited', wait: 60_000 });
    for (let n = 0; n < 2; n++) {
      const visitor = watch();
      pass(100);
      visitor.unsubscribe();
    }
    deepStrictEqual(reasons, [
      'connecting',
      'retrying',
      'retry_after',
      'idle',
      'paused',
      'retrying',
      'resumed',
      'idle',
      'paused',
    ]);
  });

  it('has a gap, too, if the events of the very first answer wait for too long', () => {
    const { scheduler, pass } = virtualTime();
    const text = JSON.stringify({
      events: ['a', 'b'].map(name => ({ kind: { [name]: 1 }, ts: '1' })),
      watch: { index: '1' },
    });
    let polls = 0;
    const transport: Transport = () =>
      polls++ < 2 ? of({ status: 200, headers: { get: () => null }, text }) : NEVER;
    const { feed: late } = createClient({
      url: 'https://a.example',
      token: 't',
      transport,
      scheduler,
      watch: { linger: 0 },
    }).events;
    const seen: string[] = [];
    late.gap$.subscribe(({ reason }) => seen.push(reason));
    const watch = (count: number) => late.unknown$.pipe(take(count)).subscribe(({ name }) => seen.push(name));
    watch(1);
    pass(310_000);
    watch(2);
    pass(1_000);
    deepStrictEqual(seen, ['a', 'silence', 'a', 'b']);
  });
});
