import { deepStrictEqual, strictEqual } from 'node:assert';
import { EMPTY, Subject, timer } from 'rxjs';
import { createClient, type RosterConfig, type WatchStatus } from 'lobby-rx';
import { Listening } from '../../../src/client/group/listening.js';
import type { PollEnd } from '../../../src/stream/index.js';
import { virtualTime } from '../../virtual-time.js';
import { ModelGroup } from './model-group.js';

/**
 * A roster with pages AB, CD and E. While its pages are refreshed, C leaves, so that E is on none
 * of them.
 */
function followed(config: RosterConfig) {
  const { scheduler, pass } = virtualTime();
  const random = () => 0.5;
  const group = new ModelGroup(scheduler, random, 'offset', 2);
  for (const id of 'ABCDE') group.join(id);
  const left: string[] = [];
  const statuses: WatchStatus[] = [];
  const { transport } = group;
  const client = createClient({
    url: 'https://g.example',
    token: 't',
    transport,
    scheduler,
    testing: { random },
    watch: { quota: Infinity },
  });
  const signals$ = client.group.rosterSignals('g', { count: 2, ...config });
  const watching = signals$.subscribe(signal => {
    if (signal.kind === 'answer')
      left.push(...signal.answer.left.map(({ identity }) => identity.identity_id));
    if (signal.kind === 'status') statuses.push(signal.status);
  });
  /** Passes until the second page has been requested again, and C leaves then. */
  const untilMissed = () => {
    const { pagesRead } = group;
    while (group.pagesRead === pagesRead) pass(10);
    group.leave('C');
  };
  return { client, group, left, statuses, pass, untilMissed, end: () => watching.unsubscribe(), scheduler };
}

describe('whether a group was listened to', () => {
  const { scheduler, pass } = virtualTime();
  const status = (change: Partial<WatchStatus>): WatchStatus => ({
    state: 'live',
    since: 0,
    lastAnswer: 0,
    attempt: 0,
    nextTry: undefined,
    error: undefined,
    hint: undefined,
    ...change,
  });
  const listening = () => {
    const heard = new Listening(scheduler);
    heard.onStatus(status({}));
    return heard;
  };

  for (const [why, isDisturbed] of Object.entries({
    cut: true,
    failed: true,
    retry_after: true,
    woken: true,
    stale: true,
    news: false,
    no_news: false,
    ended: false,
  })) {
    it(`is ${isDisturbed ? 'not ' : ''}the case all the time if a poll ended with \`${why}\``, () => {
      const heard = listening();
      const before = heard.undisturbed;
      heard.onPollEnd(why as PollEnd);
      strictEqual(before !== heard.undisturbed, isDisturbed);
    });
  }

  it('is the case while the watch is live, and has nothing to wait for', () => {
    const heard = listening();
    const isListening = (change: Partial<WatchStatus>) => {
      heard.onStatus(status(change));
      return heard.undisturbed !== undefined;
    };
    const now = scheduler.now();
    deepStrictEqual(
      [isListening({}), isListening({ nextTry: now }), isListening({ nextTry: now + 1 })],
      [true, true, false],
    );
    pass(1);
    strictEqual(heard.undisturbed !== undefined, true);
    strictEqual(isListening({ state: 'retrying' }), false);
  });

  it('is not the case while a poll waits for beforePoll, nor all the time if one has', () => {
    const beforePoll$ = new Subject<void>();
    const heard = listening();
    const before = heard.undisturbed;
    const waiting = heard.waitFor(() => beforePoll$).subscribe();
    strictEqual(heard.undisturbed, undefined);
    beforePoll$.complete();
    strictEqual(waiting.closed, true);
    const after = heard.undisturbed;
    deepStrictEqual([typeof after, after === before], ['number', false]);
  });
});

describe('a member that is missing from a refresh of a group', () => {
  it('has not left if the first page comes again after a whole block: another page may have changed', () => {
    const { left, pass, untilMissed, end } = followed({ refreshInterval: 35_000 });
    pass(30_000);
    untilMissed();
    pass(60_000);
    end();
    deepStrictEqual(left, ['C']);
  });

  for (const [what, waitsFor] of Object.entries({
    'all the time': 60_000,
    'until it has been read': 5_600,
  })) {
    it(`has not left if no poll was open in that time, since it waited for beforePoll ${what}`, () => {
      let asked = 0;
      const beforePoll = () => (++asked === 5 ? timer(waitsFor, scheduler) : EMPTY);
      const { group, left, pass, untilMissed, end, scheduler } = followed({ beforePoll });
      pass(10_000);
      group.join('F');
      untilMissed();
      pass(4_000);
      end();
      deepStrictEqual(left, []);
    });
  }

  it('is looked for soon after a wake, with a status that says when', () => {
    const { client, group, statuses, pass, end, scheduler } = followed({ refreshInterval: 60_000 });
    pass(10_000);
    group.failingPages = true;
    while (statuses.at(-1)!.attempt < 6) pass(1_000);
    const { nextTry } = statuses.at(-1)!;
    client.wake();
    const soon = statuses.at(-1)!.nextTry!;
    end();
    strictEqual(soon < nextTry! && soon - scheduler.now() < 1_000, true);
  });
});
