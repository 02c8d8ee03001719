import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { map, of, timer } from 'rxjs';
import { createClient, watch, type Transport, type WatchConfig } from 'lobby-rx';
import { answer } from '../poll-script.js';
import { virtualTime } from '../virtual-time.js';

const MINUTE = 60_000;

/** Clients of a service that has news every `delay` ms, and when it was polled. */
function stage(delay: number) {
  const { scheduler, pass } = virtualTime();
  const start = scheduler.now();
  const sent: number[] = [];
  const transport: Transport = () => {
    sent.push(scheduler.now() - start);
    const index = String(sent.length);
    const text = JSON.stringify({ events: [{ kind: { x: index }, ts: index }], watch: { index } });
    return timer(delay, scheduler).pipe(map(() => ({ status: 200, headers: { get: () => null }, text })));
  };
  const client = createClient({ url: 'https://a.example', token: 't', transport, scheduler });
  const watched = (config?: WatchConfig<unknown>) => client.events.batches(config).subscribe();
  return { client, watched, pass, sent };
}

describe('the quota of polls', () => {
  it('slows no watch down for 1,500 polls, and spreads 400 over the rest of 15 minutes', () => {
    const { watched, pass, sent } = stage(10);
    const watching = watched();
    pass(1_500 * 10);
    strictEqual(sent.length, 1_500);
    pass(15 * MINUTE - 1_500 * 10 - 1);
    watching.unsubscribe();
    const all: number = sent.length;
    ok(all > 1_890 && all <= 1_900, `${all}`);
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

  it('begins again after 15 minutes', () => {
    const { watched, pass, sent } = stage(100);
    const watching = watched();
    pass(15 * MINUTE);
    const before = sent.length;
    pass(MINUTE);
    watching.unsubscribe();
    ok(sent.length - before >= 599, `${sent.length - before} in a minute`);
  });

  it('does not wait if the news comes more slowly than that', () => {
    const { watched, pass, sent } = stage(550);
    const watching = watched();
    pass(14.5 * MINUTE);
    watching.unsubscribe();
    ok(sent.every((at, n) => at === n * 550));
  });

  it('is for each watch', () => {
    const { client, pass, sent } = stage(10);
    const batches$ = client.events.batches();
    const one = batches$.subscribe();
    pass(1_500 * 10);
    const another = batches$.subscribe();
    pass(1_000);
    ok(sent.length >= 1_500 + 99, `${sent.length}`);
    for (const watching of [one, another]) watching.unsubscribe();
  });

  it('is not kept to if the watch has a `permit` of its own', () => {
    const { watched, pass, sent } = stage(10);
    const watching = watched({ permit: () => of(1) });
    pass(2_000 * 10);
    watching.unsubscribe();
    ok(sent.length >= 2_000);
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
