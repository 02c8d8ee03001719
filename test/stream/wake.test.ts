import { deepStrictEqual, strictEqual } from 'node:assert';
import { NEVER, of, type Observable } from 'rxjs';
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
