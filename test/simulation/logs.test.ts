import fc from 'fast-check';
import { deepStrictEqual, ok } from 'node:assert';
import { runs } from '../runs.js';
import { explain } from './judge/violation.js';
import { randomFaults, randomPublish, randomSleep, seconds } from './random-scenario.js';
import { randomNumbers } from './simulate.js';
import { simulateLog, type LogScenario } from './simulate-log.js';

/** Everything that may happen to a log of a kind, and after it a quiet time. */
function scenariosOf(service: fc.Arbitrary<NonNullable<LogScenario['service']>>): fc.Arbitrary<LogScenario> {
  return fc
    .record({
      seed: fc.nat(),
      service,
      faults: randomFaults,
      publish: randomPublish,
      sleeps: fc.array(randomSleep, { maxLength: 2 }),
      wakes: fc.array(seconds(1, 900), { maxLength: 4 }),
      anew: fc.array(seconds(1, 900), { maxLength: 2 }),
      bodyTime: fc.constantFrom(0, 0, 2_000, 9_000),
    })
    .map((mix): LogScenario => {
      const { faults } = mix;
      const quiet = Math.max(1_000_000, ...faults.map(({ to }) => to));
      const settle = 420_000;
      // The last events show that the watch goes on.
      const publish = [...mix.publish, quiet + 30_000, quiet + 75_000].sort((a, b) => a - b);
      return { ...mix, publish, settle, end: quiet + settle + 80_000 };
    });
}

const block = fc.constantFrom(20_000, 40_000, 60_000);
const answersBeyond = fc.boolean();
const isDecimal = fc.boolean();

/** One of two replicas, from the number of the request. */
function atRandom(seed: number): (count: number) => number {
  const random = randomNumbers(seed);
  const chances = Array.from({ length: 997 }, random);
  return count => Math.floor(chances[count % 997]! * 2);
}

/** Whatever happens to a log of this kind, which may be made anew. */
function expectNothingAmiss(service: fc.Arbitrary<NonNullable<LogScenario['service']>>): void {
  fc.assert(
    fc.property(scenariosOf(service), scenario => {
      const { violations, entries } = simulateLog(scenario);
      const [first] = violations;
      ok(!first, first && explain(first, entries));
    }),
    { numRuns: runs(600) },
  );
}

describe('any log, in a simulation', () => {
  it('loses and doubles nothing without a gap, and has no gap without a reason, if events are equal', () =>
    expectNothingAmiss(fc.record({ block, answersBeyond, isDecimal })));

  it('has a gap for each poll without an answer, and no other, if nothing is given twice', () =>
    expectNothingAmiss(fc.record({ block, redelivers: fc.constant(false) })));

  it('has a gap for each answer of another log, and no other, if two replicas have a name each', () =>
    expectNothingAmiss(
      fc.record({
        block,
        answersBeyond,
        isDecimal,
        replicas: fc.constant(2),
        replicaOf: fc.nat(1_000).map(atRandom),
      }),
    ));

  it('costs no more requests than one server, if two replicas disagree and ignore the index', () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.boolean(), (seed, takesTurns) => {
        const { entries, violations } = simulateLog({
          seed,
          // Before it is too old, which is a gap of its own.
          end: 250_000,
          settle: 250_000,
          retention: 300_000,
          publish: [100, 200],
          service: {
            isNamed: false,
            ignoresIndex: true,
            replicas: 2,
            ...(!takesTurns && { replicaOf: atRandom(seed) }),
          },
        });
        const requests = entries.filter(({ kind }) => kind === 'request').length;
        const ids = entries.flatMap(entry => (entry.kind === 'delivered' ? entry.ids : []));
        const counts = [1, 2].map(id => ids.filter(each => each === id).length);
        const gaps = entries.filter(({ kind }) => kind === 'gap').length;
        const tooMany = violations.filter(({ what }) => what === 'too many requests');
        // One a second, a burst, and what is refunded for three pieces of news.
        ok(requests <= 250 + 8, `${requests} requests in 250 s`);
        ok(Math.min(...counts) >= 1 && Math.max(...counts) <= 2, `delivered ${counts.join(' and ')} times`);
        ok(gaps <= 1, `${gaps} gaps`);
        deepStrictEqual(tooMany, []);
      }),
      { numRuns: runs(100) },
    );
  });
});
