import { deepStrictEqual } from 'node:assert';
import { EMPTY, NEVER, timer } from 'rxjs';
import { watchSignals, type Poll } from 'lobby-rx';
import { marbles } from '../marbles.js';
import { answer, read, script, type Answer } from '../poll-script.js';
import { journal } from '../signal-journal.js';

const random = () => 0.5;
const retry = () => ({ kind: 'retry' }) as const;

describe('the status of a watch', () => {
  it(
    'is live two seconds into a held poll with an index: after a failure, and after a resume',
    marbles(helpers => {
      const { cold, flush } = helpers;
      const down = cold<never>('-#');
      const { poll } = script(cold('(a|)', { a: answer('1', 'x') }), down, NEVER);
      const config = { testing: { random }, recovery: retry, backoff: { initial: 1_000 } };
      const failing = journal(watchSignals(poll, config), helpers, '10s !');
      const resumed = journal(
        watchSignals(() => NEVER, { from: '7' }),
        helpers,
        '10s !',
      );
      flush();
      deepStrictEqual(failing, ['0 connecting', '0 live', '0 x', '1 retrying', '2502 live']);
      deepStrictEqual(resumed, ['0 connecting', '2000 live']);
    }),
  );

  it(
    'is not live without an index, which the service has to answer at once, and hints at that after 5 s',
    marbles(helpers => {
      const seen = journal(
        watchSignals(() => NEVER, {}),
        helpers,
        '10s !',
      );
      helpers.flush();
      deepStrictEqual(seen, ['0 connecting', '5000 connecting']);
    }),
  );

  it(
    'is live while a poll is held, which does not reset the backoff',
    marbles(helpers => {
      const { cold, flush } = helpers;
      const bad = cold<never>('3s #');
      const { asked, poll } = script(cold('(a|)', { a: answer('1', 'x') }), bad, bad, bad, bad, bad, NEVER);
      const recovery = () => ({ kind: 'retry' }) as const;
      const waits: number[] = [];
      const log = (entry: { kind: string; wait?: number }) => {
        if (entry.kind === 'poll_end') waits.push(entry.wait!);
      };
      journal(
        watchSignals(poll, { testing: { random }, recovery, log, backoff: { initial: 100 } }),
        helpers,
        '60s !',
      );
      flush();
      deepStrictEqual(waits, [0, 50, 100, 200, 400, 800]);
      deepStrictEqual(asked, [undefined, '1', '1', '1', '1', '1', '1']);
    }),
  );

  it(
    'stays the same after a timeout, and is not live because of a held poll until there is an answer',
    marbles(helpers => {
      const { cold, flush } = helpers;
      const { poll } = script(
        cold('(a|)', { a: answer('1', 'x') }),
        NEVER,
        NEVER,
        cold('5s (b|)', { b: answer('2') }),
        NEVER,
      );
      const config = { testing: { random: () => 0 }, read, timeout: 10_000 };
      const seen = journal(watchSignals(poll, config), helpers, '35s !');
      flush();
      deepStrictEqual(seen, ['0 connecting', '0 live', '0 x']);
    }),
  );

  it(
    'shows that an acknowledgement takes long, and when it is over',
    marbles(helpers => {
      const { cold, flush } = helpers;
      const { poll } = script(cold('(a|)', { a: answer('1', 'x') }), NEVER);
      const acks = [timer(50_000), EMPTY];
      const seen = journal(watchSignals(poll, { ack: () => acks.shift() ?? EMPTY }), helpers, '60s !');
      flush();
      deepStrictEqual(seen, ['0 connecting', '0 live', '0 x', '30000 acknowledging', '50000 live']);
    }),
  );

  it(
    'shows when the next poll is due after a wake',
    marbles(({ cold, hot, flush }) => {
      const next: (number | undefined)[] = [];
      const poll: Poll<Answer> = () => cold<never>('#');
      const config = {
        testing: { random: () => 0.5 },
        wake$: hot('2s w'),
        recovery: retry,
        backoff: { initial: 60_000, max: 60_000 },
      };
      const watching = watchSignals(poll, config).subscribe(signal => {
        if (signal.kind === 'status') next.push(signal.status.nextTry);
      });
      timer(2_100).subscribe(() => watching.unsubscribe());
      flush();
      deepStrictEqual(next, [undefined, 30_000, 2_500]);
    }),
  );
});
