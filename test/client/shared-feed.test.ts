import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert';
import { NEVER, retry, take, type Observable, type Subscription } from 'rxjs';
import { isInputError, type FeedConfig, type SharedWatch, type WatchSharing } from 'lobby-rx';
import { virtualWorld } from '../virtual-world.js';

/** A feed in virtual time whose watch passes through here. */
function stage(config: FeedConfig = {}) {
  const starts: SharedWatch[] = [];
  const share: WatchSharing = (watch, shared = {}) => {
    starts.push(shared);
    return watch(shared.from ? { from: shared.from } : {});
  };
  const { emulator, identity_id, client, pass, scheduler } = virtualWorld({ random: () => 0 });
  const feed = client.events.createFeed({ share, linger: 1_000, ...config });
  const seen: string[] = [];
  feed.gap$.subscribe(({ reason }) => seen.push(`gap: ${reason}`));
  const follow = (count = Infinity): Subscription =>
    feed.unknown$.pipe(take(count)).subscribe(({ name }) => seen.push(name));
  const publish = (...names: string[]) => {
    for (const name of names) emulator.publish(identity_id, { [name]: 1 });
    pass(300);
  };
  const polls = () => emulator.requests.filter(request => request.pending).length;
  return { emulator, client, feed, starts, seen, follow, publish, polls, pass, scheduler };
}

describe('a feed whose watch is shared', () => {
  it('queues events that come without a subscriber, and continues after them', () => {
    const { starts, seen, follow, publish, polls, pass } = stage();
    const first = follow();
    pass(500);
    publish('a');
    first.unsubscribe();
    publish('b');
    strictEqual(polls(), 1);
    pass(1_000);
    strictEqual(polls(), 0);
    publish('c');
    follow();
    publish('d');
    deepStrictEqual(seen, ['a', 'b', 'c', 'd']);
    strictEqual(starts.length, 2);
    strictEqual(typeof starts[1]?.from?.index, 'string');
  });

  it('gives the rest of a batch to a subscriber that comes after one that has left with a part of it', () => {
    const { seen, follow, publish, pass } = stage();
    follow(2);
    pass(500);
    publish('a', 'b', 'c', 'd');
    deepStrictEqual(seen, ['a', 'b']);
    pass(5_000);
    publish('e');
    follow();
    pass(500);
    deepStrictEqual(seen, ['a', 'b', 'c', 'd', 'e']);
  });

  it('begins from now each time with `resume: false`, with a gap', () => {
    const { seen, follow, publish, pass } = stage({ resume: false });
    const first = follow();
    pass(500);
    publish('a');
    first.unsubscribe();
    pass(2_000);
    publish('b');
    follow();
    pass(500);
    publish('c');
    deepStrictEqual(seen, ['a', 'gap: unwatched', 'c']);
  });

  it('begins where its config says', () => {
    const world = stage();
    let index = '';
    world.client.events.watch().subscribe(({ watch }) => {
      index = watch.index;
    });
    world.publish('a');
    const share: WatchSharing = (watch, shared = {}) => watch(shared.from ? { from: shared.from } : {});
    const names: string[] = [];
    const { unknown$ } = world.client.events.createFeed({ share, from: index });
    unknown$.subscribe(({ name }) => names.push(name));
    world.pass(500);
    deepStrictEqual(names, ['a']);
  });

  it('is no hot loop, however often it is subscribed to again', () => {
    const { emulator, feed, pass } = stage({ linger: 0 });
    emulator.fault({ kind: 'error', status: 403 }, { times: 1_000 });
    const following = feed.all$.pipe(retry()).subscribe();
    pass(10_000);
    following.unsubscribe();
    const requests = emulator.requests.length;
    ok(requests < 20, `${requests} requests`);
    for (let n = 0; n < 100; n++) {
      feed.all$.subscribe({ error: () => undefined }).unsubscribe();
      pass(20);
    }
    ok(emulator.requests.length - requests < 20, `${emulator.requests.length - requests} requests`);
  });

  it('has no gap if it begins at an index long after it was created', () => {
    const world = stage();
    let index = '';
    world.client.events.watch().subscribe(({ watch }) => {
      index = watch.index;
    });
    const share: WatchSharing = (watch, shared = {}) => watch(shared.from ? { from: shared.from } : {});
    const { gap$, all$ } = world.client.events.createFeed({ share, from: index });
    const gaps: string[] = [];
    gap$.subscribe(({ reason }) => gaps.push(reason));
    world.pass(400_000);
    all$.subscribe();
    world.pass(1_000);
    deepStrictEqual(gaps, []);
  });

  it('checks its config before anybody subscribes', () => {
    const { client } = stage();
    const share: WatchSharing = watch => watch({});
    throws(() => client.events.createFeed({ share, backoff: { first: 1 } as object }), /backoff\.first/);
  });

  it('refuses a `share` that is no function', () => {
    const { client } = stage();
    throws(() => client.events.createFeed({ share: 'tabs' as never }), /share must be a function/);
    throws(() => client.group.roster('g', { share: 'tabs' as never }), /share must be a function/);
  });

  it('drops its queue once that is older than the retention, with one gap', () => {
    for (const [away, expected] of [
      [290_000, ['a', 'b', 'c']],
      [310_000, ['a', 'gap: silence', 'c']],
    ] as const) {
      const { seen, follow, publish, pass } = stage();
      const first = follow();
      pass(500);
      publish('a');
      first.unsubscribe();
      publish('b');
      pass(away);
      follow();
      pass(500);
      publish('c');
      deepStrictEqual(seen, expected);
    }
  });

  it('has the gap of its watch if it was away for long and holds nothing', () => {
    const { seen, follow, publish, pass } = stage();
    const first = follow();
    pass(500);
    publish('a');
    first.unsubscribe();
    pass(310_000);
    follow();
    pass(500);
    deepStrictEqual(seen, ['a', 'gap: silence']);
  });

  it('keeps its queue with `resume: false` while it lingers', () => {
    const { seen, follow, publish, pass } = stage({ resume: false });
    const first = follow();
    pass(500);
    publish('a');
    first.unsubscribe();
    publish('b');
    follow();
    pass(500);
    deepStrictEqual(seen, ['a', 'b']);
  });

  it('begins at a checkpoint once, with its age', () => {
    const world = stage();
    let index = '';
    world.client.events.watch().subscribe(({ watch }) => {
      index = watch.index;
    });
    world.publish('a');
    const at = world.scheduler.now();
    const share: WatchSharing = (watch, shared = {}) => watch(shared.from ? { from: shared.from } : {});
    const seenBy = (from: { index: string; at: number }) => {
      const names: string[] = [];
      const { unknown$, gap$ } = world.client.events.createFeed({ share, from, linger: 0 });
      gap$.subscribe(({ reason }) => names.push(reason));
      for (let n = 0; n < 2; n++) {
        const visitor = unknown$.subscribe(({ name }) => names.push(name));
        world.pass(500);
        visitor.unsubscribe();
      }
      return names;
    };
    deepStrictEqual(seenBy({ index, at }), ['a']);
    deepStrictEqual(seenBy({ index, at: at - 400_000 }), ['silence', 'a']);
  });

  it('begins in the log of its checkpoint', () => {
    const { client, scheduler, starts } = stage();
    const from = { index: '5', at: scheduler.now() - 1_000, handle: 'log A' };
    const share: WatchSharing = (_, shared = {}) => {
      starts.push(shared);
      return NEVER;
    };
    client.events.createFeed({ share, from }).all$.subscribe();
    deepStrictEqual(starts, [{ from }]);
  });

  it('drops its queue with `resume: false` once it no longer lingers', () => {
    const { seen, follow, publish, pass } = stage({ resume: false });
    const first = follow();
    pass(500);
    publish('a');
    first.unsubscribe();
    publish('b');
    pass(2_000);
    follow();
    pass(500);
    publish('c');
    deepStrictEqual(seen, ['a', 'gap: unwatched', 'c']);
  });

  it('has no gap with `resume: false` after a subscriber that left before the first answer', () => {
    const runs: Observable<never>[] = [NEVER];
    const share: WatchSharing = (watch, shared = {}) =>
      runs.pop() ?? watch(shared.from ? { from: shared.from } : {});
    const { seen, follow, publish, pass } = stage({ share, resume: false, linger: 0 });
    follow().unsubscribe();
    follow();
    pass(500);
    publish('a');
    deepStrictEqual(seen, ['a']);
  });

  it('gives `ack` the very events that it has emitted', () => {
    const acked: unknown[] = [];
    const { feed, publish, pass } = stage({ ack: ({ events }) => void acked.push(...events) });
    const emitted: unknown[] = [];
    feed.all$.subscribe(event => emitted.push(event));
    pass(500);
    publish('a', 'b');
    strictEqual(emitted.length, 2);
    ok(acked.length === 2 && acked.every((event, i) => event === emitted[i]));
  });

  it('fails with an error that names `share` if that returns no Observable', () => {
    const errors: unknown[] = [];
    const share = (() => Promise.resolve()) as unknown as WatchSharing;
    stage({ share }).feed.all$.subscribe({ error: (error: unknown) => errors.push(error) });
    ok(isInputError(errors[0]) && errors[0].argument === 'share');
  });
});
