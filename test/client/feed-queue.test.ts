import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { array, assert as check, constantFrom, integer, property, record } from 'fast-check';
import { map, of, repeat, retry, Subscription, take, throwError, timer } from 'rxjs';
import type { FeedConfig, WatchSharing } from 'lobby-rx';
import { runs } from '../runs.js';
import { virtualWorld } from '../virtual-world.js';

/** A feed in virtual time. `log` has what subscribers took, the gaps, and what was acknowledged. */
function stage(config: FeedConfig = {}) {
  const { emulator, identity_id, client, pass, scheduler } = virtualWorld({ random: () => 0 });
  const log: string[] = [];
  const ack: FeedConfig['ack'] = ({ events }) => {
    const names = events.map(event => (event.kind === 'unknown' ? event.name : '?'));
    if (names.length > 0) log.push(`ack ${names.join('+')}`);
  };
  const feed = client.events.createFeed({ linger: 0, ack, ...config });
  feed.gap$.subscribe(({ reason }) => log.push(reason));
  const names$ = feed.unknown$.pipe(
    map(({ name }) => {
      log.push(name);
      return name;
    }),
  );
  const watch = (count = Infinity): Subscription => names$.pipe(take(count)).subscribe();
  const publish = (...names: string[]) => {
    for (const name of names) emulator.publish(identity_id, { [name]: 1 });
  };
  const polls = () => emulator.requests.length;
  const pending = () => emulator.requests.filter(request => request.pending).length;
  return { feed, log, names$, watch, publish, polls, pending, pass, emulator, scheduler };
}

const ABCD = ['a', 'b', 'c', 'ack a+b+c', 'd', 'ack d'];

describe('the queue of a feed', () => {
  /** Publishes three events, and then one. */
  const run = ({ pass, publish }: ReturnType<typeof stage>) => {
    pass(500);
    publish('a', 'b', 'c');
    pass(30_000);
    publish('d');
    pass(30_000);
  };

  it('gives take(1), repeat() each event once; an answer is acknowledged after its last event', () => {
    const one = stage();
    const watching = one.names$.pipe(take(1), repeat()).subscribe();
    run(one);
    watching.unsubscribe();
    deepStrictEqual(one.log, ABCD);
    ok(one.polls() <= 4 + 60, `${one.polls()} polls`);
  });

  it('gives map(throws), retry() each event once', () => {
    const one = stage();
    const thrown$ = one.names$.pipe(
      map(() => {
        throw new Error('mine');
      }),
    );
    const watching = thrown$.pipe(retry()).subscribe();
    run(one);
    watching.unsubscribe();
    deepStrictEqual(one.log, ABCD);
    ok(one.polls() <= 4 + 60, `${one.polls()} polls`);
  });

  for (const linger of [0, 1_000]) {
    it(`gives a subscriber that takes one event at a time, with long pauses, each event once: linger ${linger}`, () => {
      const one = stage({ linger });
      const paused$ = one.names$.pipe(take(1), repeat({ delay: () => timer(4_000, one.scheduler) }));
      const watching = paused$.subscribe();
      run(one);
      watching.unsubscribe();
      deepStrictEqual(one.log, ABCD);
      ok(one.polls() <= 4 + 60, `${one.polls()} polls`);
    });
  }

  it('is not polled behind, and not acknowledged, until its last event has been taken', () => {
    const { log, watch, publish, polls, pending, pass } = stage({ linger: 60_000 });
    watch(1);
    pass(500);
    publish('a', 'b');
    pass(500);
    deepStrictEqual([log, pending()], [['a'], 0]);
    const before = polls();
    pass(50_000);
    strictEqual(polls(), before);
    watch(1);
    pass(1);
    deepStrictEqual(log, ['a', 'b', 'ack a+b']);
  });

  it('is not polled behind even if it is full when its last subscriber has long gone', () => {
    const { watch, publish, polls, pass, log } = stage();
    watch(1);
    pass(500);
    publish('a', 'b');
    pass(10_000);
    const before = polls();
    watch(1);
    deepStrictEqual(log, ['a', 'b']);
    strictEqual(polls(), before);
    pass(5_000);
    deepStrictEqual(log, ['a', 'b', 'ack a+b']);
    // What was enough for its subscriber starts no poll.
    strictEqual(polls(), before);
  });

  it('is kept for as long as its index may be used, and then dropped, with a gap first', () => {
    for (const [away, expected] of [
      [290_000, ['a', 'b']],
      [300_000, ['a', 'silence']],
    ] as const) {
      const { log, watch, publish, polls, pass } = stage();
      watch(1);
      pass(500);
      publish('a', 'b');
      pass(away);
      const before = polls();
      const back = watch(1);
      if (away < 297_000) deepStrictEqual([log, polls()], [['a', 'b'], before]);
      pass(1_000);
      deepStrictEqual(
        log.filter(line => !line.startsWith('ack')),
        expected,
      );
      back.unsubscribe();
    }
  });

  it('is dropped without resume, and the return has its gap', () => {
    const { log, watch, publish, pass } = stage({ resume: false });
    watch(1);
    pass(500);
    publish('a', 'b');
    pass(5_000);
    watch();
    pass(500);
    publish('c');
    pass(500);
    deepStrictEqual(log, ['a', 'unwatched', 'c', 'ack c']);
  });

  it('is left without resume during an acknowledgement, too: the return has its gap', () => {
    const { log, watch, publish, pass, scheduler } = stage({
      resume: false,
      ack: () => timer(1_000, scheduler),
    });
    const first = watch();
    pass(1_500);
    publish('a');
    pass(100);
    first.unsubscribe();
    pass(100);
    watch();
    pass(5_000);
    publish('b');
    pass(500);
    deepStrictEqual(log, ['a', 'unwatched', 'b']);
  });

  it('is kept without resume as long as the feed lingers', () => {
    const { log, watch, publish, pass } = stage({ resume: false, linger: 1_000 });
    watch(1);
    pass(500);
    publish('a', 'b');
    pass(900);
    watch();
    pass(500);
    deepStrictEqual(log, ['a', 'b', 'ack a+b']);
  });

  it('counts as taken where the watch is shared', () => {
    const share: WatchSharing = (watch, shared = {}) => watch(shared.from ? { from: shared.from } : {});
    const { log, watch, publish, pass } = stage({ share, linger: 1_000 });
    watch(1);
    pass(500);
    publish('a', 'b');
    pass(500);
    deepStrictEqual(log, ['a', 'ack a+b']);
    pass(5_000);
    publish('c');
    watch();
    pass(500);
    deepStrictEqual(log, ['a', 'ack a+b', 'b', 'c', 'ack c']);
  });

  it('is filled while the feed lingers, after a failure as well', () => {
    const { log, watch, publish, pass, emulator } = stage({ linger: 5_000 });
    const first = watch();
    pass(500);
    emulator.fault({ kind: 'reset_before_headers' });
    publish('a');
    pass(500);
    first.unsubscribe();
    publish('b');
    pass(2_000);
    deepStrictEqual(log, ['a', 'ack a']);
    watch();
    pass(1);
    deepStrictEqual(log, ['a', 'ack a', 'b', 'ack b']);
  });

  it('is delivered again, from its first event, if `ack` fails', () => {
    const failures = [1];
    const { log, watch, publish, pass } = stage({
      ack: ({ events }) => (events.length > 0 && failures.pop() ? throwError(() => 'disk full') : of(1)),
      log: () => undefined,
    });
    watch();
    pass(500);
    publish('a', 'b');
    pass(5_000);
    deepStrictEqual(log, ['a', 'b', 'a', 'b']);
  });

  it('gives all events of an answer to a subscriber that takes one at a time', () => {
    const { log, names$, watch, publish, pass } = stage();
    watch(1);
    pass(500);
    publish(...Array.from({ length: 3_000 }, (_, n) => `${n}`));
    pass(500);
    names$.pipe(take(1), repeat(1_000)).subscribe();
    strictEqual(log.at(-1), '1000');
    names$.pipe(take(1), repeat(1_999)).subscribe();
    strictEqual(log.at(-1), '2999');
  });

  it('gives each event once and in order, however its subscribers come and go, and whatever happens to its polls', () => {
    const step = record({
      what: constantFrom('come', 'come for one', 'leave', 'publish', 'publish three', 'reset', 'proxy'),
      ms: integer({ min: 0, max: 1_500 }),
    });
    const story = record({
      steps: array(step, { minLength: 5, maxLength: 60 }),
      linger: constantFrom(0, 100, 1_000),
      acknowledging: constantFrom(0, 300),
    });
    check(
      property(story, ({ steps, linger, acknowledging }) => {
        const acked: string[] = [];
        const { log, watch, publish, pass, emulator, pending, scheduler } = stage({
          linger,
          ack: ({ events }) =>
            timer(acknowledging, scheduler).pipe(
              map(() => acked.push(...events.map(event => ('name' in event ? event.name : '?')))),
            ),
        });
        let visitor = Subscription.EMPTY;
        let count = 0;
        for (const { what, ms } of steps) {
          if (visitor.closed && what === 'come') visitor = watch();
          if (visitor.closed && what === 'come for one') visitor = watch(1);
          if (what === 'leave') visitor.unsubscribe();
          if (what === 'publish') publish(`${count++}`);
          if (what === 'publish three') publish(...[1, 2, 3].map(() => `${count++}`));
          if (what === 'reset') emulator.fault({ kind: 'reset_before_headers' });
          if (what === 'proxy') emulator.fault({ kind: 'html', status: 502 });
          pass(ms);
          ok(pending() <= 1);
        }
        visitor.unsubscribe();
        visitor = watch();
        pass(120_000);
        publish(`${count++}`);
        pass(120_000);
        visitor.unsubscribe();
        pass(linger);
        // From the first event after the first answer.
        const first = Number(log[0]);
        deepStrictEqual(
          log.map(Number),
          Array.from({ length: count - first }, (_, n) => first + n),
        );
        deepStrictEqual(acked, log);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('a feed without news', () => {
  it('is polled at its pace, however often its subscribers come and go', () => {
    for (const config of [{}, { resume: false }]) {
      const { watch, polls, pass } = stage(config);
      for (let n = 0; n < 500; n++) {
        const visitor = watch();
        pass(10);
        visitor.unsubscribe();
        pass(10);
      }
      ok(polls() <= 4 + 10, `${polls()} polls in 10 s`);
    }
  });

  it('leaves no timer behind when its last subscriber has gone, whatever it was doing', () => {
    for (const kind of ['hanging', 'waiting', 'holding'] as const) {
      const { watch, publish, pass, emulator, scheduler } = stage();
      if (kind === 'waiting') emulator.fault({ kind: 'rate_limited', wait: 60_000 });
      const visitor = watch(kind === 'holding' ? 1 : Infinity);
      pass(500);
      publish('a', 'b');
      pass(500);
      visitor.unsubscribe();
      deepStrictEqual([kind, scheduler.actions.length], [kind, 0]);
    }
  });
});
