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

/** One of the replicas, from the number of the request. */
function atRandom(seed: number, replicas = 2): (count: number) => number {
  const random = randomNumbers(seed);
  const chances = Array.from({ length: 997 }, random);
  return count => Math.floor(chances[count % 997]! * replicas);
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
        replicaOf: fc.nat(1_000).map(seed => atRandom(seed)),
      }),
    ));

  it('has a gap where the log says that it has forgotten events, and no other', () =>
    expectNothingAmiss(
      fc.record({ block, answersBeyond, isDecimal, keeps: fc.integer({ min: 1, max: 3 }) }),
    ));

  it('has one gap if a log is restored from an older state, or wiped, and says where it ends', () => {
    const restored = fc.record({
      seconds: seconds(100, 900),
      lacking: fc.integer({ min: 3, max: 99 }),
      block,
      isDecimal,
    });
    fc.assert(
      fc.property(restored, ({ seconds: at, lacking, ...service }) => {
        const { entries, violations } = simulateLog({
          seed: at,
          // The watch has seen three events at least, and the last ones show that it goes on.
          publish: Array.from({ length: 50 }, (_, i) => 20_000 * (i + 1)),
          restores: [{ at, lacking }],
          end: 1_100_000,
          settle: 60_000,
          service: { ...service, isNamed: false, saysEnd: true },
        });
        const gaps = entries.flatMap(entry => (entry.kind === 'gap' ? [entry.reason] : []));
        deepStrictEqual([violations, gaps], [[], ['index_backwards']]);
      }),
      { numRuns: runs(200) },
    );
  });

  /** Servers behind one address. Each ignores the index, and answers with its last event. */
  const deafServers = fc.record({
    replicas: fc.integer({ min: 1, max: 16 }),
    isDecimal,
    isOrdered: fc.boolean(),
    isVolatile: fc.boolean(),
    turns: fc.oneof(fc.constant(undefined), fc.nat(1_000)),
    retention: fc.constantFrom(undefined, 300_000),
  });

  it('asks servers that ignore the index once a second, and gives no event again without a gap', () => {
    fc.assert(
      fc.property(deafServers, ({ replicas, turns, retention, ...service }) => {
        // Before the index is too old, which is a gap of its own.
        const [end, settle] = [250_000, 250_000];
        const replicaOf = turns === undefined ? undefined : atRandom(turns, replicas);
        const { entries, violations } = simulateLog({
          seed: 1,
          end,
          settle,
          ...(retention !== undefined && { retention }),
          publish: Array.from({ length: replicas }, (_, i) => 100 + i),
          service: {
            isNamed: false,
            ignoresIndex: true,
            replicas,
            ...service,
            ...(replicaOf && { replicaOf }),
          },
        });
        const requests = entries.filter(({ kind }) => kind === 'request').length;
        // One a second, a burst, and one for the first news of each server, in a log that is empty
        // or is not.
        ok(requests <= 250 + 5 + 2 * replicas, `${requests} requests in 250 s`);
        const delivered = entries.filter(({ kind }) => kind === 'delivered').length;
        const gaps = entries.filter(({ kind }) => kind === 'gap').length;
        // Servers that take turns give each event once. An answer that differs each time is news.
        if (!replicaOf && !service.isVolatile) ok(delivered <= 2 * replicas, `${delivered} answers`);
        if (!service.isVolatile) ok(delivered <= 2 * replicas + gaps, `${delivered} answers, ${gaps} gaps`);
        deepStrictEqual(
          violations.filter(({ what }) => what === 'a hot loop'),
          [],
        );
      }),
      { numRuns: runs(300) },
    );
  });
});
