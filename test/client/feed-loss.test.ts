import { ok } from 'node:assert';
import { array, assert as check, constantFrom, integer, property, record } from 'fast-check';
import { take, timer } from 'rxjs';
import type { Fault } from 'lobby-rx/emulator';
import { runs } from '../runs.js';
import { virtualWorld } from '../virtual-world.js';

/** What becomes of the next polls. */
const FAULTS: readonly Fault[] = [
  { kind: 'reset_before_headers' },
  { kind: 'stall_before_headers' },
  { kind: 'stall_in_body' },
  { kind: 'html', status: 504, after: 10_000 },
  { kind: 'empty', status: 204 },
  { kind: 'error', status: 503 },
  { kind: 'rate_limited', wait: 60_000 },
  { kind: 'repeat' },
];

/**
 * Seconds around the age that an index may reach, the block of the service and the timeout of a
 * poll, and short ones.
 */
const PAUSES = [0, 0.1, 1, 10, 50, 100, 200, 290, 299, 301].map(seconds => seconds * 1_000);

const step = record({
  what: constantFrom('come', 'come for one', 'leave', 'leave', 'publish', 'publish', 'fail', 'fail', 'pass'),
  ms: constantFrom(...PAUSES),
  fault: constantFrom(...FAULTS),
  times: integer({ min: 1, max: 30 }),
});
const story = record({
  steps: array(step, { minLength: 5, maxLength: 40 }),
  linger: constantFrom(0, 1_000, 60_000),
  acknowledging: constantFrom(0, 300, 40_000),
});

describe('an event that does not come', () => {
  it('is reported by a gap before the next event, whatever happened to polls and subscribers', () => {
    check(
      property(story, ({ steps, linger, acknowledging }) => {
        const { emulator, identity_id, client, pass, scheduler } = virtualWorld({ random: () => 0.5 });
        const feed = client.events.createFeed({ linger, ack: () => timer(acknowledging, scheduler) });
        let published = 0;
        let expected = 0;
        /** A reload at the last gap had all that was published before it. */
        let reloaded = 0;
        const missing: string[] = [];
        const faults: (() => void)[] = [];
        feed.gap$.subscribe(() => {
          reloaded = published;
        });
        const onEvent = ({ payload }: { payload: unknown }) => {
          const event = payload as number;
          if (event > Math.max(expected, reloaded)) missing.push(`${expected} is missing before ${event}`);
          expected = Math.max(expected, event + 1);
        };
        const publish = () => emulator.publish(identity_id, { counted: published++ });
        let visitor = feed.unknown$.subscribe(onEvent);
        pass(1_000);
        for (const { what, ms, fault, times } of steps) {
          const isAway = visitor.closed;
          if (isAway && what === 'come') visitor = feed.unknown$.subscribe(onEvent);
          if (isAway && what === 'come for one') visitor = feed.unknown$.pipe(take(1)).subscribe(onEvent);
          if (what === 'leave') visitor.unsubscribe();
          if (what === 'publish') publish();
          if (what === 'fail') faults.push(emulator.fault(fault, { times }));
          pass(ms);
        }
        visitor.unsubscribe();
        const watching = feed.unknown$.subscribe(onEvent);
        for (const end of faults) end();
        pass(1_000_000);
        publish();
        pass(500_000);
        watching.unsubscribe();
        pass(linger);
        ok(missing.length === 0, missing.join('; '));
        ok(Math.max(expected, reloaded) === published, `${expected} of ${published}`);
      }),
      { numRuns: runs(150) },
    );
  });
});
