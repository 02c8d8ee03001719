import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { map, NEVER, of, timer } from 'rxjs';
import { array, assert as check, constantFrom, integer, nat, property, record } from 'fast-check';
import {
  createClient,
  eventsWatch,
  watch,
  type ClientConfig,
  type Transport,
  type WatchConfig,
} from 'lobby-rx';
import { Budget } from '../../src/client/budget.js';
import { getMembers, playersConnected } from '../../src/endpoint/index.js';
import { handle } from '../payload.js';
import { answer } from '../poll-script.js';
import { virtualTime } from '../virtual-time.js';

const MINUTE = 60_000;

/** Clients of a service that has news every `delay` ms, and when it was polled. */
function stage(delay: number, watchConfig: ClientConfig['watch'] & object = {}) {
  const { scheduler, pass } = virtualTime();
  const start = scheduler.now();
  const sent: number[] = [];
  const transport: Transport = () => {
    sent.push(scheduler.now() - start);
    const index = String(sent.length);
    const text = JSON.stringify({ events: [{ kind: { x: index }, ts: index }], watch: { index } });
    return timer(delay, scheduler).pipe(map(() => ({ status: 200, headers: { get: () => null }, text })));
  };
  const config = { url: 'https://a.example', token: 't', transport, scheduler, watch: watchConfig };
  const client = createClient(config);
  const watched = (config?: WatchConfig<unknown>) => client.events.batches(config).subscribe();
  return { client, watched, pass, sent };
}

describe('the budget of a client', () => {
  it('slows no watch down for 1,500 polls, and spreads what is left over the rest of 15 minutes', () => {
    const { watched, pass, sent } = stage(10);
    const watching = watched();
    pass(1_500 * 10);
    strictEqual(sent.length, 1_500);
    pass(15 * MINUTE - 1_500 * 10 - 1);
    watching.unsubscribe();
    const all: number = sent.length;
    ok(all > 1_880 && all <= 1_900, `${all}`);
    const waits = sent.slice(1_501).map((at, n) => at - sent[1_500 + n]!);
    ok(Math.max(...waits) < 2_500, `${Math.max(...waits)} ms`);
  });

  it('is waited for before a poll is sent: its timeout does not run yet', () => {
    const { watched, pass, sent } = stage(10);
    const watching = watched({ timeout: 1_000 });
    pass(1_500 * 10);
    pass(10 * MINUTE);
    watching.unsubscribe();
    // One each 2.2 s.
    ok(sent.length > 1_750, `${sent.length}`);
  });

  it('lets a poll go at once, without a timer', () => {
    const { watched, sent } = stage(10);
    watched().unsubscribe();
    deepStrictEqual(sent, [0]);
  });

  it('lets no more than the quota go in any 15 minutes, and about so many in each', () => {
    const { watched, pass, sent } = stage(100);
    const watching = watched();
    pass(60 * MINUTE);
    watching.unsubscribe();
    for (const [n, at] of sent.entries())
      ok((sent[n + 1_900] ?? Infinity) - at >= 15 * MINUTE, `${sent[n + 1_900]} after ${at}`);
    ok(sent.length > 4 * 1_750, `${sent.length} in an hour`);
  });

  it('does not wait if the news comes more slowly than that', () => {
    const { watched, pass, sent } = stage(550);
    const watching = watched();
    pass(14.5 * MINUTE);
    watching.unsubscribe();
    ok(sent.every((at, n) => at === n * 550));
  });

  it('is one for all watches of a route, those of `as` included', () => {
    const { client, pass, sent } = stage(10);
    const one = client.events.batches().subscribe();
    pass(1_500 * 10);
    const another = client.as('other').events.batches().subscribe();
    pass(10_000);
    ok(sent.length < 1_500 + 10, `${sent.length}`);
    // Another route has its own.
    const before = sent.length;
    const members = client.group.watchMembers('g').subscribe();
    strictEqual(sent.length, before + 1);
    for (const watching of [one, another, members]) watching.unsubscribe();
  });

  it('shows who waits that they do, for how long, and why; and is given back by who leaves', () => {
    const { client, pass } = stage(10);
    const watching = client.events.batches().subscribe();
    pass(1_500 * 10);
    const seen: (string | undefined)[] = [];
    const late = client.watchSignals(eventsWatch, {}).subscribe(signal => {
      if (signal.kind === 'status') seen.push(signal.status.nextTry === undefined ? '' : signal.status.hint);
    });
    strictEqual(seen.length, 2);
    ok(seen[1]?.includes('quota'));
    late.unsubscribe();
    watching.unsubscribe();
  });

  it('lets a poll go before its index expires, however much has been sent', () => {
    const { client, pass, sent } = stage(10, { quota: 20, retention: 10_000 });
    const watching = client.events.batches().subscribe();
    pass(15 * MINUTE);
    watching.unsubscribe();
    const waits = sent.slice(1).map((at, n) => at - sent[n]!);
    ok(Math.max(...waits) <= 10_000, `${Math.max(...waits)}`);
  });

  it('is not kept to with a quota of Infinity', () => {
    const { watched, pass, sent } = stage(10, { quota: Infinity });
    const watching = watched();
    pass(2_000 * 10);
    watching.unsubscribe();
    ok(sent.length >= 2_000);
  });

  it('promises no more than the quota in any 15 minutes, delays no plain request, and no poll beyond its last chance', () => {
    const acts = array(
      record({
        what: constantFrom('poll', 'poll', 'poll', 'page', 'cancelled'),
        times: integer({ min: 1, max: 60 }),
        after: nat(60_000),
      }),
      { minLength: 1, maxLength: 80 },
    );
    check(
      property(acts, integer({ min: 2, max: 300 }), (acts, quota) => {
        let now = 1e6;
        const route = new Budget(quota, { now: () => now }).of(getMembers)!;
        const sent: number[] = [];
        for (const { what, times, after } of acts) {
          for (let n = 0; n < times; n++) {
            const { wait, cancel } = what === 'page' ? route.page() : route.poll();
            ok(wait >= 0);
            if (what === 'cancelled') cancel();
            else sent.push(now + wait);
          }
          now += after;
        }
        sent.sort((a, b) => a - b);
        for (const [n, at] of sent.entries())
          ok(sent[n + quota] === undefined || sent[n + quota]! - at >= 15 * MINUTE, `${quota} from ${at}`);
        ok(route.poll(500).wait <= 500);
      }),
    );
  });

  it('has room for a reading if that leaves as much as the last one took, or half of it, if that is less', () => {
    const route = new Budget(100, { now: () => 0 }).of(getMembers)!;
    deepStrictEqual([route.hasRoomFor(100), route.hasRoomFor(1_000)], [true, true]);
    for (let n = 0; n < 60; n++) route.count();
    deepStrictEqual([route.hasRoomFor(40), route.hasRoomFor(41)], [true, false]);
  });

  it('is kept to by the readings of a roster, too, which wait for room page by page', () => {
    const { scheduler, pass } = virtualTime();
    const start = scheduler.now();
    const sent: number[] = [];
    const transport: Transport = ({ url }) => {
      sent.push(scheduler.now() - start);
      const query = new URL(url).searchParams;
      const page = Number(query.get('anchor') ?? 0);
      const members = [{ identity: { ...handle, identity_id: `i${page}` } }];
      const text = JSON.stringify({
        members,
        anchor: page < 80 ? String(page + 1) : null,
        watch: { index: '1' },
      });
      return query.has('watch_index') ? NEVER : of({ status: 200, headers: { get: () => null }, text });
    };
    const client = createClient({
      ...{ url: 'https://a.example', token: 't', transport, scheduler, watch: { quota: 60 } },
    });
    const sizes: number[] = [];
    const watching = client.group.roster('g').subscribe(({ members }) => sizes.push(members.size));
    pass(10 * MINUTE);
    deepStrictEqual(sizes, []);
    // And the last chance of a poll.
    ok(sent.length <= 63, `${sent.length}`);
    pass(20 * MINUTE);
    strictEqual(sizes[0], 81);
    for (const [n, at] of sent.entries())
      ok((sent[n + 63] ?? Infinity) - at >= 15 * MINUTE, `${sent[n + 63]} after ${at}`);
    watching.unsubscribe();
    deepStrictEqual(scheduler.actions.length, 0);
  });

  it('serves a feed and two busy rosters of several pages on one client, within what the service serves', () => {
    const { scheduler, pass } = virtualTime();
    const start = scheduler.now();
    const sent: number[] = [];
    let version = 0;
    const transport: Transport = ({ url }) => {
      const query = new URL(url).searchParams;
      const isGroup = url.includes('/groups/');
      if (isGroup) sent.push(scheduler.now() - start);
      const page = Number(query.get('anchor') ?? 0);
      // Somebody joins or leaves all the time.
      const members = [{ identity: { ...handle, identity_id: `i${page} ${++version}` } }];
      const watch = { index: String(version) };
      const events = [{ kind: { x: 1 }, ts: String(version) }];
      const text = JSON.stringify(
        isGroup ? { members, anchor: page < 3 ? `${page + 1}` : null, watch } : { events, watch },
      );
      return timer(query.has('watch_index') ? 300 : 30, scheduler).pipe(
        map(() => ({ status: 200, headers: { get: () => null }, text })),
      );
    };
    const client = createClient({ url: 'https://a.example', token: 't', transport, scheduler });
    let rosters = 0;
    let events = 0;
    const watching = [
      client.group.roster('g').subscribe(() => rosters++),
      client.group.roster('h').subscribe(() => rosters++),
      client.events.feed.all$.subscribe(() => events++),
    ];
    pass(25 * MINUTE);
    for (const each of watching) each.unsubscribe();
    for (const [n, at] of sent.entries())
      ok((sent[n + 1_920] ?? Infinity) - at >= 15 * MINUTE, `${sent[n + 1_920]} after ${at}`);
    // Each of them goes on after the first 15 minutes, too.
    ok(sent.filter(at => at > 15 * MINUTE).length > 800);
    ok(rosters > 1_000 && events > 2_000, `${rosters} rosters, ${events} events`);
  });

  it('is of no concern to what is no GET', () => {
    strictEqual(new Budget(100, { now: () => 0 }).of(playersConnected), undefined);
  });

  it('is not that of another service: `watch` polls as fast as news comes, or as `minInterval` says', () => {
    const { scheduler, pass } = virtualTime();
    let polls = 0;
    const news = () => timer(10, scheduler).pipe(map(() => answer(`${++polls}`, `${polls}`)));
    const watching = watch(news, { scheduler }).subscribe();
    pass(30_000);
    watching.unsubscribe();
    strictEqual(polls, 3_000);
    const idle = () => timer(10, scheduler).pipe(map(() => answer(`${++polls}`)));
    const idling = watch(idle, { scheduler, minInterval: 0, isIdle: () => true }).subscribe();
    pass(30_000);
    idling.unsubscribe();
    strictEqual(polls, 6_000);
  });
});
