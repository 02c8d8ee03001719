import { deepStrictEqual, strictEqual } from 'node:assert';
import { createClient, type RosterConfig, type WatchStatus } from 'lobby-rx';
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

describe('a member that is missing from a refresh of a group', () => {
  it('has not left if the first page comes again after a whole block: another page may have changed', () => {
    const { left, pass, untilMissed, end } = followed({ refreshInterval: 35_000 });
    pass(30_000);
    untilMissed();
    pass(60_000);
    end();
    deepStrictEqual(left, ['C']);
  });

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
