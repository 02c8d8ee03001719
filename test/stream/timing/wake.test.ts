import { deepStrictEqual, strictEqual } from 'node:assert';
import { NEVER, of, Subject, take, type Observable } from 'rxjs';
import { createClient, type TransportRequest, type TransportResponse } from 'lobby-rx';
import { pageWake } from '../../../src/stream/index.js';
import { fakePage, type FakePage } from '../../fake-page.js';
import { virtualTime } from '../../virtual-time.js';

describe('pageWake', () => {
  let page: FakePage;
  beforeEach(() => {
    page = fakePage();
  });
  afterEach(() => page.remove());

  it('emits when the page is online, visible, resumed, or back from the cache, and leaves no listener', () => {
    const seen: string[] = [];
    const watching = pageWake().subscribe(event => seen.push((event as Event).type));
    const after = (act: () => void) => {
      seen.length = 0;
      act();
      return seen.join();
    };
    strictEqual(
      after(() => page.fire('online')),
      'online',
    );
    strictEqual(
      after(() => page.show(false)),
      '',
    );
    strictEqual(
      after(() => page.show(true)),
      'visibilitychange',
    );
    strictEqual(
      after(() => page.fire('resume')),
      'resume',
    );
    strictEqual(
      after(() => page.fire('pageshow', { persisted: false })),
      '',
    );
    strictEqual(
      after(() => page.fire('pageshow', { persisted: true })),
      'pageshow',
    );
    for (const type of ['offline', 'freeze', 'pagehide', 'focus'])
      strictEqual(
        after(() => page.fire(type)),
        '',
      );
    watching.unsubscribe();
    deepStrictEqual(page.listeners, []);
  });

  it('never emits outside of a page, and does not end', () => {
    page.remove();
    const seen: unknown[] = [];
    const watching = pageWake().subscribe({ next: e => seen.push(e), complete: () => seen.push('end') });
    page.fire('online');
    deepStrictEqual([seen, watching.closed, page.listeners], [[], false, []]);
    watching.unsubscribe();
  });

  it('wakes the watches of a client in a page, where a jump of the clock does not', () => {
    const { scheduler: virtual, pass } = virtualTime();
    let offset = 0;
    const scheduler = Object.create(virtual, {
      now: { value: () => virtual.now() + offset },
    }) as typeof virtual;
    const polls: TransportRequest[] = [];
    const answer = { status: 200, headers: { get: () => null }, text: '{"events":[],"watch":{"index":"1"}}' };
    const transport = (request: TransportRequest): Observable<TransportResponse> =>
      polls.push(request) === 1 ? of(answer) : NEVER;
    const client = createClient({
      url: 'https://a.example',
      token: 't',
      transport,
      scheduler,
      testing: { random: () => 0 },
    });
    const following = client.events.feed.all$.subscribe();
    pass(10_000);
    strictEqual(polls.length, 2);
    offset += 60_000;
    pass(20_000);
    strictEqual(polls.length, 2);
    page.fire('online');
    pass(1_000);
    strictEqual(polls.length, 3);
    following.unsubscribe();
    // The feed lingers.
    pass(1_000);
    deepStrictEqual(page.listeners, []);
  });
});

describe('the status of a feed in a page', () => {
  let page: FakePage;
  beforeEach(() => {
    page = fakePage();
  });
  afterEach(() => page.remove());

  /**
   * A feed in a page that is online or not, and what its status says. The service answers when it
   * is told to.
   */
  function pageWithFeed(
    test: (feed: {
      readonly states: string[];
      readonly sent: () => number;
      readonly answer: (index: number) => void;
      readonly pass: (ms: number) => void;
    }) => void,
    { onLine = true, wake$ }: { onLine?: boolean; wake$?: Observable<unknown> } = {},
  ) {
    const own = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
    Object.defineProperty(globalThis, 'navigator', { value: { onLine }, configurable: true });
    try {
      const { scheduler, pass } = virtualTime();
      const answer$ = new Subject<TransportResponse>();
      let sent = 0;
      const transport = (request: TransportRequest) => {
        sent++;
        request.onSent?.();
        return answer$.pipe(take(1));
      };
      const { feed } = createClient({
        url: 'https://a.example',
        token: 't',
        transport,
        scheduler,
        ...(wake$ && { watch: { wake$ } }),
      }).events;
      const states: string[] = [];
      feed.status$.subscribe(({ state }) => {
        if (states.at(-1) !== state) states.push(state);
      });
      const watching = feed.all$.subscribe();
      const answer = (index: number) =>
        answer$.next({
          status: 200,
          headers: { get: () => null },
          text: `{"events":[],"watch":{"index":"${index}"}}`,
        });
      test({ states, sent: () => sent, answer, pass });
      watching.unsubscribe();
      pass(2_000);
      deepStrictEqual(page.listeners, []);
    } finally {
      if (own) Object.defineProperty(globalThis, 'navigator', own);
      else delete (globalThis as { navigator?: unknown }).navigator;
    }
  }

  it('is offline as soon as the page is, even at the start, until the next answer of the service', () => {
    pageWithFeed(
      ({ states, answer, pass }) => {
        pass(100);
        deepStrictEqual(states, ['idle', 'connecting', 'offline']);
        answer(1);
        pass(40_000);
        strictEqual(states.at(-1), 'live');
        page.fire('offline');
        pass(100);
        strictEqual(states.at(-1), 'offline');
        pass(20_000);
        answer(2);
        pass(1);
        strictEqual(states.at(-1), 'live');
      },
      { onLine: false },
    );
  });

  it('is connecting as soon as the page is online again, and live 5 s into a held poll', () => {
    // With its own wake, and with one that says nothing.
    for (const config of [{}, { wake$: NEVER }])
      pageWithFeed(({ states, sent, answer, pass }) => {
        answer(1);
        pass(20_000);
        page.fire('offline');
        pass(10_000);
        const polls = sent();
        page.fire('online');
        pass(10);
        strictEqual(states.at(-1), 'connecting');
        pass(4_900);
        strictEqual(states.at(-1), 'connecting');
        pass(1_200);
        deepStrictEqual([states.at(-1), sent() - polls], ['live', 'wake$' in config ? 0 : 1]);
      }, config);
  });

  it('counts a poll as just sent when the page is online again', () => {
    pageWithFeed(
      ({ states, answer, pass }) => {
        answer(1);
        pass(500);
        page.fire('offline');
        pass(500);
        page.fire('online');
        pass(4_900);
        strictEqual(states.at(-1), 'connecting');
        pass(200);
        strictEqual(states.at(-1), 'live');
      },
      { wake$: NEVER },
    );
  });

  it('is live without contact once, however often the page is online again', () => {
    pageWithFeed(({ states, answer, pass }) => {
      answer(1);
      pass(20_000);
      for (let i = 0; i < 20; i++) {
        page.fire('offline');
        pass(1_000);
        page.fire('online');
        pass(20_000);
      }
      deepStrictEqual(states.slice(3), [
        'offline',
        'connecting',
        'live',
        ...Array.from({ length: 38 }, (_, i) => (i % 2 === 0 ? 'offline' : 'connecting')),
      ]);
      pass(70_000);
      strictEqual(states.at(-1), 'retrying');
      answer(2);
      pass(1);
      strictEqual(states.at(-1), 'live');
    });
  });
});

describe('a watch in a page that is rendered before it is shown', () => {
  let page: FakePage;
  beforeEach(() => {
    page = fakePage();
    page.prerender(true);
  });
  afterEach(() => page.remove());

  it('polls once the page is shown, and sends other requests at once', () => {
    const { scheduler, pass } = virtualTime();
    const sent: (string | undefined)[] = [];
    const transport = ({ kind }: TransportRequest): Observable<TransportResponse> => {
      sent.push(kind);
      return NEVER;
    };
    const client = createClient({ url: 'https://api.example', token: 't', scheduler, transport });
    const states: string[] = [];
    client.events.feed.status$.subscribe(({ state }) => states.push(state));
    const feed = client.events.feed.all$.subscribe();
    const request = client.events.watch().subscribe({ error: () => undefined });
    pass(10_000);
    deepStrictEqual([sent, states], [[undefined], ['idle', 'connecting']]);
    page.prerender(false);
    deepStrictEqual(sent, [undefined, 'poll']);
    feed.unsubscribe();
    request.unsubscribe();
    client.close();
    deepStrictEqual(page.listeners, []);
  });
});
