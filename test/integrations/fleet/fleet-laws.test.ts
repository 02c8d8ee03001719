import { deepStrictEqual, ok } from 'node:assert';
import fc from 'fast-check';
import { runs } from '../../runs.js';
import { virtualFleet } from './virtual-fleet.js';

/** What may happen to a fleet. `who` counts workers, or identities. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('publish' as const), who: fc.nat(30), pass: fc.nat(200) }),
  },
  fc.record({
    do: fc.constantFrom(
      'freeze',
      'thaw',
      'cut',
      'mend',
      'kill',
      'leave',
      'join',
      'lose answers',
      'part',
      'fail',
    ),
    who: fc.nat(30),
    pass: fc.nat(7_000),
  }),
);

describe('the laws of a fleet', () => {
  it('store each event once and in order, whatever happens to workers, connections and the service', function () {
    this.timeout(60_000);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 3 }), (steps, first) => {
        const fleet = virtualFleet({ identities: 6, shards: 4 });
        const { pass, start, publish, ids, numbersOf, memory, emulator } = fleet;
        let joined = 0;
        const join = () => start(`worker ${++joined}`);
        const workers = Array.from({ length: first }, join);
        pass(12_000);
        const pick = (who: number) => workers[who % workers.length]!;
        let left = 250_000;
        for (const { do: action, who, pass: ms } of steps) {
          const worker = pick(who);
          if (action === 'publish') publish(ids[who % ids.length]!);
          if (action === 'freeze') worker.scheduler.freeze();
          if (action === 'thaw') worker.scheduler.thaw();
          if (action === 'cut') worker.link.isCut = true;
          if (action === 'mend') worker.link.isCut = false;
          if (action === 'lose answers') worker.link.lostAnswers = 2;
          if (action === 'part') memory.leavePart(ids[who % ids.length]!);
          if (action === 'fail') emulator.fault({ kind: 'error', status: 503 }, { times: 2 });
          if (action === 'kill') worker.kill();
          if (action === 'leave') worker.running.unsubscribe();
          if (action === 'join' && workers.length < 6) workers.push(join());
          pass(Math.min(ms, left));
          left -= ms;
        }
        for (const { scheduler, link } of workers) {
          scheduler.thaw();
          link.isCut = false;
        }
        join();
        pass(40_000);
        for (const id of ids) {
          const { published, stored } = numbersOf(id);
          deepStrictEqual(stored, published);
        }
        deepStrictEqual(
          memory.records.filter(({ gap }) => gap),
          [],
        );
        // In the end, each shard has one owner, and each identity one poll.
        const held = fleet.workers
          .filter(({ running, error }) => !running.closed && !error)
          .flatMap(fleet.held);
        deepStrictEqual(held.sort(), [0, 1, 2, 3]);
        ok(memory.owners.every(owner => owner !== undefined));
        // The number of watches of a process decides how they are spread, in the next test, too.
        for (const { running } of fleet.workers) running.unsubscribe();
      }),
      { numRuns: runs(400) },
    );
  });
});
