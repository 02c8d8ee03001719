import { deepStrictEqual, strictEqual } from 'node:assert';
import { NEVER, of, Subject, take, type Observable } from 'rxjs';
import { createClient, type TransportRequest, type TransportResponse } from 'lobby-rx';
import { pageWake } from '../../src/stream/index.js';
import { fakePage, type FakePage } from '../fake-page.js';
import { virtualTime } from '../virtual-time.js';

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

  it('that goes offline makes the status so at once, at the start, too, until the next word of the service', () => {
    const own = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
    Object.defineProperty(globalThis, 'navigator', { value: { onLine: false }, configurable: true });
    try {
      const { scheduler, pass } = virtualTime();
      const answer$ = new Subject<TransportResponse>();
      const transport = () => answer$.pipe(take(1));
      const { feed } = createClient({ url: 'https://a.example', token: 't', transport, scheduler }).events;
      const states: string[] = [];
      feed.status$.subscribe(({ state }) => states.push(state));
      const watching = feed.all$.subscribe();
      const answer = (index: number) =>
        answer$.next({
          ...{ status: 200, headers: { get: () => null } },
          text: `{"events":[],"watch":{"index":"${index}"}}`,
        });
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
      watching.unsubscribe();
      pass(2_000);
      deepStrictEqual(page.listeners, []);
    } finally {
      if (own) Object.defineProperty(globalThis, 'navigator', own);
      else delete (globalThis as { navigator?: unknown }).navigator;
    }
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
