import { deepStrictEqual, match, ok } from 'node:assert';
import {
  asyncScheduler,
  catchError,
  config,
  defer,
  filter,
  map,
  NEVER,
  of,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import {
  createClient,
  getMembers,
  isTransportError,
  TransportError,
  type Client,
  type EventFeed,
  type LogEntry,
  type Transport,
} from 'lobby-rx';
import { longestWait } from '../longest-wait.js';
import { marbles } from '../marbles.js';
import { handle } from '../payload.js';
import { rawServer } from '../raw-server.js';
import { waitUntil } from '../wait-until.js';
import { virtualTime } from '../virtual-time.js';

const url = 'https://service.example';
const urls = { groupUrl: url, matchmakerUrl: url, apiUrl: url };
const headers = { get: () => null };
const client = (transport: Transport, options = {}) =>
  createClient({ ...urls, token: 't', transport, ...options });
const list = (index: string, ...events: unknown[]) => ({
  status: 200,
  headers,
  text: JSON.stringify({ events, watch: { index } }),
});
const member = (...ids: string[]) => ({
  status: 200,
  headers,
  text: JSON.stringify({
    members: ids.map(identity_id => ({ identity: { ...handle, identity_id } })),
    watch: { index: ids[0] },
  }),
});
const event = (n: number) => ({ kind: { tick: n }, ts: String(n) });

describe('the defaults of a client', () => {
  const reason = (answer$: Observable<unknown>) =>
    answer$.pipe(catchError((error: unknown) => of(isTransportError(error) ? error.reason : 'another')));

  it(
    'give a plain request 15 s, and a blocking one 70 s',
    marbles(({ expectObservable }) => {
      const { group, events, matchmaker } = client(() => NEVER);
      expectObservable(reason(group.getMembers({ group_id: 'g' }))).toBe('15s (d|)', { d: 'timeout' });
      expectObservable(reason(events.watch())).toBe('15s (d|)', { d: 'timeout' });
      expectObservable(reason(matchmaker.players.connected({ player_token: 'p' }))).toBe('15s (d|)', {
        d: 'timeout',
      });
      expectObservable(reason(events.watch({ watch_index: '1' }))).toBe('70s (d|)', { d: 'timeout' });
    }),
  );

  it(
    'give a poll 70 s, and send it again at once',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const hung = cold<never>('-');
      expectObservable(client(() => hung, { testing: { random: () => 0 } }).events.batches(), '75s !').toBe(
        '',
      );
      expectSubscriptions(hung.subscriptions).toBe(['^ 69999ms !', '70s ^ 4999ms !']);
    }),
  );

  it(
    'are not replaced by an option that is undefined',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const hung = cold<never>('-');
      const patient = client(() => hung, { testing: { random: () => 0 }, watch: { timeout: 20_000 } });
      const config = { timeout: undefined, read: undefined } as object;
      expectObservable(patient.events.batches(config), '25s !').toBe('');
      expectSubscriptions(hung.subscriptions).toBe(['^ 19999ms !', '20s ^ 4999ms !']);
    }),
  );

  it(
    'back off from 500 ms to 30 s, with the given random numbers',
    marbles(({ cold, expectObservable, flush }) => {
      const lost = new TransportError('lost', '', { method: 'GET', url });
      const waits: number[] = [];
      const log = (entry: LogEntry) => {
        if (entry.kind === 'poll_end') waits.push(entry.wait);
      };
      const broken = client(() => cold<never>('#', undefined, lost), {
        testing: { random: longestWait },
        log,
      });
      expectObservable(broken.events.batches(), '100s !').toBe('');
      flush();
      deepStrictEqual(waits, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    }),
  );

  it(
    'apply if an option is undefined',
    marbles(({ cold, expectObservable, expectSubscriptions, flush }) => {
      const none = {
        timeout: undefined,
        read: undefined,
        wake$: undefined,
      } as object;
      for (const watchOf of [
        ({ events }: Client) => events.batches(none),
        (mine: Client) => mine.watch(getMembers, { group_id: 'g' }, none),
        (mine: Client) =>
          mine
            .watchSignals(getMembers, { group_id: 'g' }, none)
            .pipe(filter(({ kind }) => kind === 'answer')),
      ]) {
        const hung = cold<never>('-');
        expectObservable<unknown>(
          watchOf(client(() => hung, { testing: { random: () => 0 }, watch: { timeout: 10 } })),
          '15ms !',
        );
        expectSubscriptions(hung.subscriptions).toBe(['^ 9ms !', '10ms ^ 4ms !']);
      }

      let polls = 0;
      const quiet = client(() => of(list(String(++polls))));
      expectObservable(quiet.events.batches(none), '5s !').toBe('');
      const orders = [member('a', 'b'), member('b', 'a')];
      const group = client(() => of(orders[polls++ % 2]!)).group;
      expectObservable(group.watchMembers('g', none).pipe(map(() => 'x')), '5s !').toBe('x');
      flush();
    }),
  );

  it(
    'send a poll anew when the clock has jumped, since the machine slept',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      let lost = 0;
      const scheduler = Object.create(asyncScheduler, {
        now: { value: () => asyncScheduler.now() + lost },
      }) as SchedulerLike;
      asyncScheduler.schedule(() => {
        lost += 60_000;
      }, 12_000);
      for (const watch of [undefined, {}, { wake$: undefined }]) {
        const hung = cold<never>('-');
        const { events } = client(() => hung, {
          watch,
          scheduler,
          testing: { random: () => 0, monotonic: asyncScheduler },
        });
        expectObservable(events.batches(), '20s !');
        expectSubscriptions(hung.subscriptions).toBe(['^ 14999ms !', '15s ^ 4999ms !']);
      }
    }),
  );

  it(
    'let a feed linger for 1 s, unless the client or the feed sets another time',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const lingers = (feedOf: (transport: Transport) => EventFeed, subscription: string) => {
        const hung = cold<never>('-');
        expectObservable(feedOf(() => hung).all$, '--!');
        expectSubscriptions(hung.subscriptions).toBe(subscription);
      };
      lingers(transport => client(transport).events.feed, '^ 1001ms !');
      lingers(transport => client(transport).events.createFeed(), '^ 1001ms !');
      lingers(transport => client(transport, { watch: { linger: 50 } }).events.feed, '^ 51ms !');
      lingers(transport => client(transport, { watch: { linger: 50 } }).events.createFeed(), '^ 51ms !');
      lingers(
        transport => client(transport, { watch: { linger: 50 } }).events.createFeed({ linger: 5 }),
        '^ 6ms !',
      );
    }),
  );

  it('go by the clock of the client, whatever waits', async () => {
    const { scheduler, pass } = virtualTime();
    const reasons: unknown[] = [];
    const error = (e: unknown) => reasons.push(isTransportError(e) && e.reason);
    const { group } = client(() => NEVER, { scheduler, token: () => NEVER, timeout: 60_000 });
    group.getMembers({ group_id: 'g' }).subscribe({ error });
    pass(14_999);
    deepStrictEqual(reasons, []);
    pass(1);
    deepStrictEqual(reasons, ['not_sent']);

    const server = await rawServer(socket => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{'));
    const turns: unknown[] = [];
    const log = (entry: LogEntry) => entry.kind === 'poll_end' && turns.push(entry.error);
    const { events } = createClient({ url: server.url, token: 't', scheduler, log });
    const stalled = events.batches().subscribe();
    await waitUntil(() => (pass(250), turns.length > 0));
    stalled.unsubscribe();
    await server.close();
    ok(isTransportError(turns[0]));
    match(turns[0].message, /^the body of the answer stalled/);
  });

  it(
    'give a feed the clock of its client, unless it has its own',
    marbles(({ expectObservable, flush }) => {
      /** The test's clock, and the delays that were scheduled on it. */
      const clock = () => {
        const delays: (number | undefined)[] = [];
        const schedule = (...args: Parameters<SchedulerLike['schedule']>) => {
          delays.push(args[1]);
          return asyncScheduler.schedule(...args);
        };
        return { delays, scheduler: { now: () => asyncScheduler.now(), schedule } };
      };
      const [ofClient, ofFeed] = [clock(), clock()];
      const { events } = client(() => NEVER, { scheduler: ofClient.scheduler });
      expectObservable(events.createFeed({ linger: 7 }).all$, '--!');
      expectObservable(events.createFeed({ linger: 8, scheduler: ofFeed.scheduler }).all$, '--!');
      flush();
      deepStrictEqual([ofClient.delays.includes(7), ofClient.delays.includes(8)], [true, false]);
      deepStrictEqual(ofFeed.delays.includes(8), true);
    }),
  );

  it(
    'report silence after 300 s, and wait for at most 15 minutes',
    marbles(({ cold, expectObservable }) => {
      const busy = { status: 429, headers: { get: () => '86400' }, text: '' };
      const answers = [of(list('1', event(1))), of(busy), of(list('2', event(2))), cold<never>('-')];
      const { feed } = client(() => answers.shift()!, { testing: { random: () => 0 } }).events;
      const reasons$ = feed.gap$.pipe(map(({ reason: why }) => why));
      expectObservable(feed.malformed$, '905s !').toBe('');
      expectObservable(reasons$, '905s !').toBe('900s g', { g: 'silence' });
    }),
  );
});

describe('twenty events, one of them malformed', () => {
  it(
    'are all delivered in order, and the next poll sends the new index',
    marbles(({ cold, expectObservable, flush }) => {
      const events: unknown[] = Array.from({ length: 20 }, (_, n) => event(n));
      events[4] = { ts: '4' };
      const asked: string[] = [];
      const answers = [of(list('8', ...events)), cold<never>('-')];
      const { feed } = client(request => {
        asked.push(new URL(request.url).search);
        return answers.shift()!;
      }).events;
      const got: string[] = [];
      expectObservable(feed.all$.pipe(map(e => void got.push(e.kind === 'malformed' ? '!' : e.ts))), '5s !');
      flush();
      deepStrictEqual(
        got,
        [...Array(20).keys()].map(n => (n === 4 ? '!' : String(n))),
      );
      deepStrictEqual(asked, ['', '?watch_index=8']);
    }),
  );
});

describe('a subscriber that throws', () => {
  let thrown: unknown[];
  beforeEach(() => {
    thrown = [];
    config.onUnhandledError = error => thrown.push(error);
  });
  afterEach(() => {
    config.onUnhandledError = null;
  });

  it(
    'does not stop the loop or the other subscribers',
    marbles(({ cold, expectObservable, flush }) => {
      let polls = 0;
      const transport: Transport = () =>
        defer(() => cold('-(a|)', { a: list(String(++polls), event(polls)) }));
      const { feed }: Client['events'] = client(transport).events;
      const throwing = feed.all$.subscribe(() => {
        throw new Error('mine');
      });
      const kinds$ = feed.all$.pipe(map(e => (e.kind === 'unknown' ? String(e.payload) : '')));
      expectObservable(kinds$, '----!').toBe('-abc', { a: '1', b: '2', c: '3' });
      cold('----(x|)').subscribe(() => throwing.unsubscribe());
      flush();
      ok(polls >= 4);
      // RxJS reports it to `onUnhandledError`, outside the loop.
      deepStrictEqual(thrown, [new Error('mine'), new Error('mine'), new Error('mine')]);
    }),
  );
});
