import { deepStrictEqual, match, strictEqual, throws } from 'node:assert';
import type { SchedulerLike } from 'rxjs';
import { acrossTabs } from 'lobby-rx/browser';
import { fakePage, type FakePage } from '../../fake-page.js';
import { virtualWorld } from '../../virtual-world.js';

const settle = () => new Promise(resolve => setImmediate(resolve));

describe('acrossTabs, in a page', () => {
  let page: FakePage;
  const requested: string[] = [];
  beforeEach(() => {
    page = fakePage();
    requested.length = 0;
  });
  afterEach(() => {
    page.remove();
    Reflect.deleteProperty(globalThis, 'navigator');
  });

  const queryOfLeader = () =>
    Promise.resolve({ held: [{ name: requested[0], clientId: 'this' }], pending: [] });
  const offerLocks = (query: () => Promise<object> = queryOfLeader) => {
    const locks = {
      request: (name: string, _: object, callback: () => Promise<void>) => {
        requested.push(name);
        return callback();
      },
      query,
    };
    Object.defineProperty(globalThis, 'navigator', { value: { locks }, configurable: true });
  };
  const start = () => {
    const { emulator, identity_id, client, pass, scheduler } = virtualWorld({ random: () => 0 });
    let skipped = 0;
    const clock = Object.create(scheduler, {
      now: { value: () => scheduler.now() + skipped },
    }) as SchedulerLike;
    const share = acrossTabs('events of Ada', { scheduler: clock });
    const leads: boolean[] = [];
    share.leads$.subscribe(isLeading => leads.push(isLeading));
    const seen: string[] = [];
    const feed = client.events.createFeed({ share, linger: 0 });
    const following = feed.unknown$.subscribe(({ name }) => seen.push(name));
    const polls = () => emulator.requests.filter(request => request.pending).length;
    const publish = (name: string) => emulator.publish(identity_id, { [name]: 1 });
    /** The tab stands still for this long, in ms, without its timers. */
    const standStill = (ms: number) => {
      skipped += ms;
    };
    return { standStill, leads, seen, following, polls, publish, pass };
  };

  it('polls while it has the lock, and as long as the page is alive', async () => {
    offerLocks();
    const { leads, seen, following, polls, publish, pass } = start();
    await settle();
    pass(1_000);
    publish('a');
    pass(500);
    deepStrictEqual([seen, leads, requested], [['a'], [false, true], ['lobby-rx 1 events of Ada']]);
    page.fire('pagehide');
    deepStrictEqual([polls(), leads.at(-1)], [0, false]);
    publish('b');
    page.fire('pageshow', { persisted: true });
    await settle();
    pass(1_000);
    deepStrictEqual([seen, polls(), leads.at(-1)], [['a', 'b'], 1, true]);
    following.unsubscribe();
    deepStrictEqual([polls(), leads.at(-1)], [0, false]);
    deepStrictEqual(page.listeners, []);
  });

  it('leads with the lock, although the browser does not say who has it, or says it only later', async () => {
    let queries = 0;
    // It is asked twice at first.
    offerLocks(() => {
      queries++;
      if (queries <= 2) return Promise.reject(new Error('no answer'));
      return Promise.resolve({ held: [{ name: requested[0], clientId: 'this' }] });
    });
    const { standStill, leads, seen, following, publish, pass } = start();
    await settle();
    pass(1_000);
    // After it stood still, it has to ask.
    standStill(60_000);
    publish('a');
    pass(500);
    await settle();
    pass(500);
    deepStrictEqual([seen, leads], [['a'], [false, true]]);
    following.unsubscribe();
  });

  it('polls by itself where channels are forbidden', () => {
    offerLocks();
    const { BroadcastChannel } = globalThis;
    const forbidden = function () {
      throw new Error('forbidden');
    };
    Object.assign(globalThis, { BroadcastChannel: forbidden });
    const { seen, following, publish, pass } = start();
    pass(1_000);
    publish('a');
    pass(500);
    deepStrictEqual([seen, requested], [['a'], []]);
    following.unsubscribe();
    Object.assign(globalThis, { BroadcastChannel });
  });

  for (const after of [0, 1, 2, 3, 4, 5, 6, 7, 8]) {
    it(`polls by itself once the browser refuses to send, after ${after} messages, and misses nothing`, async () => {
      offerLocks();
      const { BroadcastChannel } = globalThis;
      let sent = 0;
      class Failing {
        onmessage = null;
        postMessage() {
          sent++;
          if (sent > after) throw new Error('cannot be cloned');
        }
        close() {}
      }
      Object.assign(globalThis, { BroadcastChannel: Failing });
      const { leads, seen, following, polls, publish, pass } = start();
      await settle();
      pass(1_000);
      for (const name of ['a', 'b', 'c']) {
        publish(name);
        await settle();
        pass(2_000);
      }
      deepStrictEqual([seen, polls(), leads.at(-1)], [['a', 'b', 'c'], 1, true]);
      // It goes on from there.
      page.fire('pagehide');
      strictEqual(polls(), 0);
      publish('d');
      page.fire('pageshow', { persisted: true });
      await settle();
      pass(2_000);
      await settle();
      pass(2_000);
      deepStrictEqual([seen, polls()], [['a', 'b', 'c', 'd'], 1]);
      following.unsubscribe();
      deepStrictEqual([polls(), leads.at(-1)], [0, false]);
      Object.assign(globalThis, { BroadcastChannel });
    });
  }

  it('is refused for a second watch at the same time, and may be used again', async () => {
    offerLocks();
    const { client } = virtualWorld({ random: () => 0 });
    const share = acrossTabs('events of Ada');
    const errors: string[] = [];
    const follow = () =>
      client.events
        .createFeed({ share, linger: 0 })
        .all$.subscribe({ error: (error: unknown) => errors.push(String(error)) });
    const first = follow();
    follow();
    strictEqual(errors.length, 1);
    match(errors.join(), /share must be an acrossTabs\(\) of its own for each feed and roster/);
    first.unsubscribe();
    await settle();
    const third = follow();
    strictEqual(errors.length, 1);
    third.unsubscribe();
  });

  it('polls by itself without locks, while the page is alive', () => {
    const { leads, seen, following, polls, publish, pass } = start();
    pass(1_000);
    publish('a');
    pass(500);
    deepStrictEqual([seen, leads], [['a'], [false, true]]);
    page.fire('freeze');
    strictEqual(polls(), 0);
    following.unsubscribe();
    deepStrictEqual(leads, [false, true, false]);
  });

  it('refuses a name that is none, and unknown options', () => {
    throws(() => acrossTabs(''), /name must be a non-empty string/);
    throws(() => acrossTabs('a', { beat: 1 } as object), /unknown option `beat`\. Options: scheduler/);
    throws(() => acrossTabs('a', { scheduler: {} as never }), /scheduler must be an RxJS scheduler/);
  });
});
