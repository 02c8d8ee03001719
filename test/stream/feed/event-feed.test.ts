import { deepStrictEqual, strictEqual } from 'node:assert';
import {
  asyncScheduler,
  concat,
  defer,
  first,
  map,
  merge,
  NEVER,
  of,
  repeat,
  retry,
  Subject,
  switchMap,
  take,
} from 'rxjs';
import {
  eventFeed,
  type Gap,
  type IdentityEventList,
  type LiveEvent,
  type WatchSignal,
  type WatchStatus,
} from 'lobby-rx';
import { audienceFeed, type FeedSource } from '../../../src/stream/feed/index.js';
import { CONNECTING } from '../../connecting.js';
import { marbles } from '../../marbles.js';
import { lobbyJoin, notification, profile } from '../../payload.js';
import { virtualTime } from '../../virtual-time.js';

const ts = '2026-11-20T12:00:00Z';
const update: LiveEvent = { kind: 'identity_update', ts, identity: profile };
const join: LiveEvent = { kind: 'matchmaker_lobby_join', ts, ...lobbyJoin };
const chat: LiveEvent = { kind: 'unknown', ts, name: 'chat_message', payload: {}, notification };
/**
 * A custom poll may do this: without `exactOptionalPropertyTypes`, TypeScript allows the key with
 * undefined.
 */
const quiet = { ...update, notification: undefined } as unknown as LiveEvent;
const broken: LiveEvent = { kind: 'malformed', raw: 7, errors: [] };
const live: WatchStatus = { ...CONNECTING, state: 'live' };
const idle: WatchStatus = { ...CONNECTING, state: 'idle' };
const gap: Gap = { reason: 'silence', at: 0, index: '1' };

const signals: Record<string, WatchSignal<IdentityEventList>> = {
  s: { kind: 'status', status: CONNECTING },
  l: { kind: 'status', status: live },
  a: { kind: 'answer', answer: { events: [quiet, join, chat, broken], watch: { index: '2' } } },
  g: { kind: 'gap', gap },
  b: { kind: 'answer', answer: { events: [join], watch: { index: '3' } } },
};

describe('eventFeed', () => {
  it(
    'splits one stream of signals into typed streams, and subscribes to it once',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const signals$ = cold('                          s-l-a-----g-b      ', signals);
      const feed = eventFeed(signals$);
      const unsub = '                                  ---------------!   ';
      const letters$ = feed.all$.pipe(map(({ kind }) => kind[0]));
      expectObservable(letters$, unsub).toBe('           ----(imum)--m');
      expectObservable(feed.identityUpdate$, unsub).toBe('----u', { u: quiet });
      expectObservable(feed.lobbyJoin$, unsub).toBe('    ----j-------j', { j: join });
      expectObservable(feed.unknown$, unsub).toBe('      ----c', { c: chat });
      expectObservable(feed.malformed$, unsub).toBe('    ----m', { m: broken });
      expectObservable(feed.notification$, unsub).toBe(' ----n', { n: { notification, event: chat } });
      expectObservable(feed.gap$, unsub).toBe('          ----------g', { g: gap });
      expectObservable(feed.on('unknown'), unsub).toBe('  ----c', { c: chat });
      expectSubscriptions(signals$.subscriptions).toBe(' ^-------------- 1s !');
    }),
  );

  it(
    'lingers after the last unsubscribe, so that a returning subscriber joins the same poll',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const signals$ = cold('b 99ms b 99ms b', signals);
      const feed = eventFeed(signals$, { linger: 50 });
      expectObservable(feed.lobbyJoin$, '^--!').toBe('j', { j: join });
      expectObservable(feed.lobbyJoin$, '20ms ^ 100ms !').toBe('100ms j', { j: join });
      expectObservable(feed.lobbyJoin$, '500ms ^!').toBe('500ms j', { j: join });
      expectSubscriptions(signals$.subscriptions).toBe(['^ 170ms !', '500ms ^ 50ms !']);
    }),
  );

  it(
    'gives a late subscriber the current status, also after a gap',
    marbles(({ cold, expectObservable }) => {
      const feed = eventFeed(cold('s-g-l', signals));
      expectObservable(feed.malformed$, '------!');
      expectObservable(feed.status$, '   ---^--!').toBe('---sl', { s: CONNECTING, l: live });
    }),
  );

  it(
    'gives a late subscriber the current status, and no earlier event',
    marbles(({ cold, expectObservable }) => {
      const feed = eventFeed(cold('s-a-l-b', signals));
      expectObservable(feed.malformed$, '-------!');
      expectObservable(feed.status$, '-----^-!').toBe('-----l', { l: live });
      expectObservable(feed.status$, '---^---!').toBe('---sl', { s: CONNECTING, l: live });
      expectObservable(feed.lobbyJoin$, '-----^-!').toBe('------j', { j: join });
    }),
  );

  it(
    'starts no poll for its status and its gaps, and tells them of one watch after the other',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const signals$ = cold('s-l', signals);
      const feed = eventFeed(signals$, { linger: 5 });
      const states$ = feed.status$.pipe(map(({ state, since }) => `${state[0]}${since}`));
      // Each watch lingers for 5 ms.
      expectObservable(states$, '---------------!').toBe('i-s-l----k-s-l', {
        i: 'i0',
        s: 'c0',
        l: 'l0',
        k: 'i9',
      });
      expectObservable(feed.gap$, '---------------!').toBe('');
      expectObservable(feed.all$, '--^-!').toBe('');
      expectObservable(feed.all$, '-----------^--!').toBe('');
      expectSubscriptions(signals$.subscriptions).toBe(['--^------!', '-----------^-------!']);
      expectObservable(feed.status$, '-------^-!').toBe('-------l', { l: live });
      // Between two watches it is idle.
      expectObservable(feed.status$, '----------^!').toBe('----------i', { i: { ...idle, since: 9 } });
    }),
  );

  it(
    'passes the error that ends the watch to all subscribers of events, and starts over for the next one',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const signals$ = cold('s-#', signals);
      const feed = eventFeed(signals$);
      expectObservable(feed.all$).toBe('       --#');
      expectObservable(feed.lobbyJoin$).toBe(' --#');
      expectObservable(feed.unknown$, '-----^---!').toBe('-------#');
      const states$ = feed.status$.pipe(
        map(({ state, error }) => `${state}${(error as string | undefined) ?? ''}`),
      );
      expectObservable(states$, '-^-------!').toBe('-sx--s-x', { s: 'connecting', x: 'closederror' });
      expectObservable(feed.gap$, '    ---------!').toBe('');
      expectSubscriptions(signals$.subscriptions).toBe(['^-!', '-----^-!']);
    }),
  );

  it(
    'completes its streams of events if the watch completes',
    marbles(({ cold, expectObservable }) => {
      const feed = eventFeed(cold('b-|', signals));
      expectObservable(feed.lobbyJoin$).toBe('j-|', { j: join });
      expectObservable(feed.gap$, '---!').toBe('');
    }),
  );

  it(
    'ends the watch synchronously without linger',
    marbles(({ cold, expectSubscriptions, flush }) => {
      const signals$ = cold('s', signals);
      const feed = eventFeed(signals$, { linger: 0 });
      feed.all$.subscribe().unsubscribe();
      expectSubscriptions(signals$.subscriptions).toBe('(^!)');
      flush();
    }),
  );

  it(
    'continues for the others if one subscriber throws',
    marbles(({ cold, expectObservable }) => {
      const feed = eventFeed(cold('a-b', signals));
      const thrown$ = feed.lobbyJoin$.pipe(
        map(() => {
          throw new Error('mine');
        }),
      );
      expectObservable(thrown$, '---!').toBe('#', undefined, new Error('mine'));
      expectObservable(feed.lobbyJoin$, '---!').toBe('j-j', { j: join });
    }),
  );

  it(
    'gives a subscriber that returns during a batch the rest of it, and keeps one order across all views',
    marbles(({ cold, expectObservable }) => {
      const feed = eventFeed(cold('a', signals));
      const again$ = feed.all$.pipe(take(1), repeat(3));
      const joinAfterUpdate$ = feed.identityUpdate$.pipe(
        first(),
        switchMap(() => feed.lobbyJoin$),
      );
      const merged$ = merge(feed.lobbyJoin$, feed.identityUpdate$);
      expectObservable(again$.pipe(map(({ kind }) => kind[0])), '-!').toBe('(imu|)');
      expectObservable(joinAfterUpdate$, '-!').toBe('j', { j: join });
      expectObservable(merged$, '-!').toBe('(uj)', { u: quiet, j: join });
    }),
  );

  it(
    'says whether it has a subscriber, also within a batch',
    marbles(({ cold, expectObservable, flush }) => {
      const present: boolean[] = [];
      const source: FeedSource<object> = ({ isAbsent$ }) => {
        isAbsent$.subscribe(isAbsent => present.push(!isAbsent));
        return cold('a', signals);
      };
      const feed = audienceFeed(source, { linger: 1_000, scheduler: asyncScheduler });
      expectObservable(feed.lobbyJoin$.pipe(take(1))).toBe('(j|)', { j: join });
      expectObservable(feed.all$, '--^!').toBe('');
      expectObservable(feed.gap$, '--^!').toBe('');
      flush();
      deepStrictEqual(present, [true, false, true, false]);
    }),
  );

  it(
    'keeps the status of a watch that was started in response to the error of the previous one',
    marbles(({ cold, expectObservable }) => {
      // The second one emits its status immediately, before the first one has fully ended.
      const watches = [cold('s-#', signals), concat(of(signals.l!), NEVER)];
      const feed = eventFeed(defer(() => watches.shift()!));
      expectObservable(feed.all$.pipe(retry(1)), '-----!').toBe('');
      const states$ = feed.status$.pipe(map(({ state }) => state));
      expectObservable(states$, '-^---!').toBe('-s(xl)', { s: 'connecting', x: 'closed', l: 'live' });
      expectObservable(feed.status$, '---^-!').toBe('---l', { l: live });
    }),
  );

  it('leaves no timer if the watch ends while it lingers', () => {
    const { scheduler } = virtualTime();
    const signal$ = new Subject<WatchSignal<IdentityEventList>>();
    const { all$ } = eventFeed(signal$, { linger: 60_000, scheduler });
    all$.subscribe().unsubscribe();
    strictEqual(scheduler.actions.length, 1);
    signal$.complete();
    strictEqual(scheduler.actions.length, 0);
  });
});
