import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { asyncScheduler, map, NEVER, of, Subscription, switchMap, timer } from 'rxjs';
import { array, assert as check, constantFrom, integer, nat, property, record } from 'fast-check';
import {
  createClient,
  eventsWatch,
  watch,
  type ClientConfig,
  type Transport,
  type WatchConfig,
} from 'lobby-rx';
import { RequestQuota, type RouteQuota } from '../../src/client/quota.js';
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
  return { client, watched, pass, sent, scheduler };
}

/** The number of requests, of 1,900, that go at once. */
const BURST = 475;

/** The most that are sent in any 15 minutes. */
function mostIn15Minutes(sent: readonly number[]): number {
  let [most, first] = [0, 0];
  for (const [n, at] of sent.entries()) {
    while (at - sent[first]! >= 15 * MINUTE) first++;
    most = Math.max(most, n - first + 1);
  }
  return most;
}

describe('the quota of a client', () => {
  it('slows no watch down for 475 polls, and spreads the others evenly over 15 minutes', () => {
    const { watched, pass, sent } = stage(10);
    const watching = watched();
    pass(15 * MINUTE - 1);
    watching.unsubscribe();
    ok(sent.length > 1_880 && sent.length <= 1_900, `${sent.length}`);
    deepStrictEqual(
      sent.slice(0, BURST),
      Array.from({ length: BURST }, (_, n) => n * 10),
    );
    // Some more have their token by now, since time has passed.
    const waits = sent.slice(BURST + 10).map((at, n) => at - sent[BURST + 9 + n]!);
    ok(Math.max(...waits) < 700, `${Math.max(...waits)} ms`);
  });

  it('is waited for before a poll is sent: its timeout does not run yet', () => {
    const { watched, pass, sent } = stage(10, { quota: 100 });
    const watching = watched({ timeout: 1_000 });
    pass(15 * MINUTE);
    watching.unsubscribe();
    // One each 12 s.
    ok(sent.length >= 98 && sent.length <= 100, `${sent.length}`);
  });

  it('lets a poll go at once, without a timer', () => {
    const { watched, sent } = stage(10);
    watched().unsubscribe();
    deepStrictEqual(sent, [0]);
  });

  it('lets no more than the quota go in any 15 minutes, and about that many in each', () => {
    const { watched, pass, sent } = stage(100);
    const watching = watched();
    pass(60 * MINUTE);
    watching.unsubscribe();
    ok(mostIn15Minutes(sent) <= 1_900, `${mostIn15Minutes(sent)}`);
    ok(sent.length > 4 * 1_500, `${sent.length} in an hour`);
  });

  it('does not wait if the news comes more slowly than that', () => {
    const { watched, pass, sent } = stage(650);
    const watching = watched();
    pass(30 * MINUTE);
    watching.unsubscribe();
    deepStrictEqual(
      sent,
      Array.from({ length: Math.ceil((30 * MINUTE) / 650) }, (_, n) => n * 650),
    );
  });

  it('is one for all watches of a route, those of `as` included', () => {
    const { client, pass, sent } = stage(10);
    const one = client.events.batches().subscribe();
    pass(6_000);
    const before = sent.length;
    const another = client.as('other').events.batches().subscribe();
    pass(10_000);
    ok(sent.length - before <= 17, `${sent.length - before} in 10 s`);
    // Another route has its own.
    const all = sent.length;
    const members = client.group.watchMembers('g').subscribe();
    strictEqual(sent.length, all + 1);
    for (const watching of [one, another, members]) watching.unsubscribe();
  });

  it('shows a waiting watch that it waits, for how long, and why, and leaves no timer when it ends', () => {
    const { client, pass, scheduler } = stage(10);
    const watching = client.events.batches().subscribe();
    pass(6_000);
    const seen: (string | undefined)[] = [];
    const late = client.watchSignals(eventsWatch, {}).subscribe(signal => {
      if (signal.kind === 'status') seen.push(signal.status.nextTry === undefined ? '' : signal.status.hint);
    });
    strictEqual(seen.length, 2);
    ok(seen[1]?.includes('quota'));
    for (const each of [late, watching]) each.unsubscribe();
    strictEqual(scheduler.actions.length, 0);
  });

  it('delays a poll by at most 235 s because of plain requests, so that it is answered in time', () => {
    const { scheduler, pass } = virtualTime();
    const route = new RequestQuota(1_900, scheduler, scheduler).of(getMembers)!;
    for (let n = 0; n < 10_000; n++) route.count();
    const waits: number[] = [];
    let isSent = false;
    route.take('poll').subscribe({
      next: wait => waits.push(wait),
      complete: () => {
        isSent = true;
      },
    });
    pass(235_000);
    strictEqual(isSent, false);
    pass(1_000);
    deepStrictEqual([waits.length, waits[0]! <= 236_000, isSent], [1, true, true]);
  });

  it('is not kept to with a quota of Infinity', () => {
    const { watched, pass, sent } = stage(10, { quota: Infinity });
    const watching = watched();
    pass(2_000 * 10);
    watching.unsubscribe();
    ok(sent.length >= 2_000);
  });

  it('is kept to in any 15 minutes by polls and pages in any order, which come in turns, each kind in its order', () => {
    const acts = array(
      record({
        what: constantFrom('poll', 'poll', 'poll', 'page', 'left'),
        times: integer({ min: 1, max: 60 }),
        after: nat(60_000),
      }),
      { minLength: 1, maxLength: 60 },
    );
    check(
      property(acts, integer({ min: 2, max: 300 }), (acts, quota) => {
        const { scheduler, pass } = virtualTime();
        const route = new RequestQuota(quota, scheduler, scheduler).of(getMembers)!;
        const sent: { readonly kind: 'poll' | 'page'; readonly n: number; readonly at: number }[] = [];
        const waits: number[] = [];
        const waiting = new Subscription();
        let n = 0;
        const take = (kind: 'poll' | 'page') => {
          const own = n++;
          return route.take(kind).subscribe({
            next: wait => waits.push(wait),
            complete: () => sent.push({ kind, n: own, at: scheduler.now() }),
          });
        };
        for (const { what, times, after } of acts) {
          for (let i = 0; i < times; i++) {
            if (what === 'left') take('poll').unsubscribe();
            else waiting.add(take(what));
          }
          pass(after);
        }
        deepStrictEqual(
          waits.filter(wait => !(wait > 0)),
          [],
        );
        const most = mostIn15Minutes(sent.map(({ at }) => at));
        ok(most <= Math.max(quota, 2), `${most} of ${quota}`);
        for (const kind of ['poll', 'page'] as const) {
          const order = sent.filter(each => each.kind === kind).map(each => each.n);
          deepStrictEqual(
            order,
            [...order].sort((a, b) => a - b),
          );
        }
        waiting.unsubscribe();
        strictEqual(scheduler.actions.length, 0);
      }),
    );
  });

  it('serves a page after one poll at most for each page before it, however many polls wait', () => {
    const { scheduler, pass } = virtualTime();
    const route: RouteQuota = new RequestQuota(1_900, scheduler, scheduler).of(getMembers)!;
    const waiting = new Subscription();
    let polls = 0;
    const poll = () => waiting.add(route.take('poll').subscribe({ complete: () => polls++ }));
    for (let n = 0; n < 1_000; n++) poll();
    strictEqual(polls, BURST);
    let pages = 0;
    for (let n = 0; n < 5; n++) waiting.add(route.take('page').subscribe({ complete: () => pages++ }));
    pass(10 * 632);
    deepStrictEqual([pages, polls - BURST], [5, 5]);
    waiting.unsubscribe();
  });

  for (const watches of [200, 600]) {
    it(`serves ${watches} quiet watches, three rosters of five pages and plain requests of one route`, () => {
      const { scheduler, pass } = virtualTime();
      const sent: number[] = [];
      const lastPages = new Map<string, number[]>();
      let gaps = 0;
      const transport: Transport = ({ url }) => {
        sent.push(scheduler.now());
        const { pathname, searchParams } = new URL(url);
        const page = Number(searchParams.get('anchor') ?? 0);
        if (page === 4) lastPages.set(pathname, [...(lastPages.get(pathname) ?? []), scheduler.now()]);
        const members = [{ identity: { ...handle, identity_id: `i${page}` } }];
        const hasMore = pathname.includes('/roster') && page < 4;
        // A new index each time, as the service has it.
        const watch = { index: String(sent.length) };
        const text = JSON.stringify({ members, anchor: hasMore ? String(page + 1) : null, watch });
        return timer(searchParams.has('watch_index') ? 60_000 : 30, scheduler).pipe(
          map(() => ({ status: 200, headers: { get: () => null }, text })),
        );
      };
      const client = createClient({ url: 'https://a.example', token: 't', transport, scheduler });
      const watching = new Subscription();
      for (let n = 0; n < watches; n++)
        watching.add(
          client.watchSignals(getMembers, { group_id: `g${n}` }).subscribe(({ kind }) => {
            if (kind === 'gap') gaps++;
          }),
        );
      for (const name of ['a', 'b', 'c'])
        watching.add(client.group.roster(`roster-${name}`, { count: 1 }).subscribe());
      for (let n = 0; n < 100; n++)
        watching.add(
          timer(n * 30_000, scheduler)
            .pipe(switchMap(() => client.group.getMembers({ group_id: 'plain' })))
            .subscribe(),
        );
      pass(30 * MINUTE);
      watching.unsubscribe();
      const most = mostIn15Minutes(sent);
      ok(most <= 1_920, `${most} in 15 minutes`);
      // 467 are the most that can be polled in time.
      strictEqual(gaps > 0, watches > 467);
      for (const times of lastPages.values()) {
        const between = times.slice(1).map((at, n) => at - times[n]!);
        ok(Math.max(...between) <= 150_000, `a refresh after ${Math.max(...between)} ms`);
      }
      strictEqual(lastPages.size, 3);
    });
  }

  it('has room for a refresh if it leaves as much as the last one took, or all that goes at once', () => {
    const { scheduler, pass } = virtualTime();
    const route = new RequestQuota(400, scheduler, scheduler).of(getMembers)!;
    const begun: string[] = [];
    const begin = (requests: number, patience: number) =>
      route
        .room(requests, patience)
        .subscribe({ complete: () => begun.push(`${requests} after ${scheduler.now() % 1e6}`) });
    const start = scheduler.now() % 1e6;
    begin(1_000, 60_000);
    for (let n = 0; n < 60; n++) route.count();
    begin(40, 60_000);
    begin(41, 60_000);
    begin(100, 60_000);
    pass(60_000);
    deepStrictEqual(begun, [
      `1000 after ${start}`,
      `40 after ${start}`,
      `41 after ${start + 3_000}`,
      `100 after ${start + 60_000}`,
    ]);
  });

  it('is kept to by the refreshes of a roster, too, which wait for room page by page', () => {
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
      url: 'https://a.example',
      token: 't',
      transport,
      scheduler,
      watch: { quota: 60 },
    });
    const sizes: number[] = [];
    const watching = client.group.roster('g').subscribe(({ members }) => sizes.push(members.size));
    pass(10 * MINUTE);
    deepStrictEqual(sizes, []);
    ok(sent.length <= 60, `${sent.length}`);
    pass(25 * MINUTE);
    strictEqual(sizes[0], 81);
    ok(mostIn15Minutes(sent) <= 60, `${mostIn15Minutes(sent)}`);
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
    ok(mostIn15Minutes(sent) <= 1_920, `${mostIn15Minutes(sent)}`);
    // Each of them goes on after the first 15 minutes, too.
    ok(sent.filter(at => at > 15 * MINUTE).length > 800);
    ok(rosters > 1_000 && events > 2_000, `${rosters} rosters, ${events} events`);
  });

  it('does not count requests of other methods than GET', () => {
    strictEqual(new RequestQuota(100, { now: () => 0 }, asyncScheduler).of(playersConnected), undefined);
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
    const idling = watch(idle, { scheduler, minInterval: 0, read: () => ({ isEmpty: true }) }).subscribe();
    pass(30_000);
    idling.unsubscribe();
    strictEqual(polls, 6_000);
  });
});
