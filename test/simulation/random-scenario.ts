import fc from 'fast-check';
import { ODD_ENDS, OUTAGES, type Fault, type FaultKind } from './world/fault.js';
import type { Scenario } from './simulate.js';
import type { SubscriberConfig } from './world/subscriber.js';

/** A time in ms. */
export const seconds = (min: number, max: number) =>
  fc.integer({ min: min * 20, max: max * 20 }).map(n => n * 50);

const faultKind: fc.Arbitrary<FaultKind> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...OUTAGES) },
  {
    weight: 2,
    arbitrary: fc
      .record({ after: fc.constantFrom(0, 5_000, 12_000, 29_000, 55_000), end: fc.constantFrom(...ODD_ENDS) })
      .chain(({ after, end }) =>
        fc.constantFrom<FaultKind>(
          { kind: 'cuts', after: Math.max(after, 5_000), by: end },
          { kind: 'poison', after, how: end },
          { kind: 'proxy', after, status: end },
        ),
      ),
  },
  fc.constantFrom<FaultKind>(
    { kind: 'old connections' },
    { kind: 'cuts', after: 30_000 },
    ...[5_000, 12_000, 29_000, 60_000].flatMap(after =>
      ([503, 408, 'lost'] as const).map(by => ({ kind: 'cuts', after, by }) as const),
    ),
    ...[0, 3_000, 20_000].flatMap(after =>
      ([500, 502, 'lost', 'no JSON', 'too large', 'unread'] as const).map(
        how => ({ kind: 'poison', after, how }) as const,
      ),
    ),
    ...[10_000, 120_000, 900_000].flatMap(ttl =>
      [true, false].map(ignoresQuery => ({ kind: 'cache', ttl, ignoresQuery }) as const),
    ),
    { kind: 'own error', status: 503 },
    { kind: 'own error', status: 429, after: 60_000, dated: true },
  ),
);

/** Faults one after the other, each after a time without. */
export const randomFaults = fc
  .array(fc.record({ kind: faultKind, pause: seconds(0, 200), duration: seconds(1, 400) }), { maxLength: 4 })
  .map(all => {
    let at = 10;
    return all.map(({ kind, pause, duration }): Fault => {
      const from = at + pause;
      at = from + duration;
      return { ...kind, from, to: at };
    });
  });

/** A few events every now and then. */
export const randomPublish = fc
  .array(fc.record({ pause: seconds(0, 120), count: fc.integer({ min: 1, max: 4 }) }), { maxLength: 20 })
  .map(all => {
    let at = 0;
    return all.flatMap(({ pause, count }) => {
      at += pause;
      return Array.from({ length: count }, (_, i) => at + i * 30);
    });
  });

export const randomSleep = fc.record({
  at: seconds(1, 600),
  duration: seconds(5, 500),
  keepsConnections: fc.boolean(),
  wakeAfter: fc.constantFrom(undefined, 0, 4_000),
});

const subscriber: fc.Arbitrary<SubscriberConfig> = fc.oneof(
  fc.constant<SubscriberConfig>({ kind: 'batches' }),
  fc.constant<SubscriberConfig>({ kind: 'signals' }),
  fc
    .record({
      time: fc.constantFrom(0, 500, 20_000),
      failures: fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 6 }),
      crashes: fc.array(seconds(1, 800), { maxLength: 2 }),
    })
    .map(({ time, failures, crashes }): SubscriberConfig => {
      const fails = (call: number) => failures.includes(call);
      return { kind: 'batches', ack: { time, crashes, ...(failures.length > 0 && { fails }) } };
    }),
  fc
    .record({
      ack: fc.boolean(),
      linger: fc.constantFrom(0, 1_000),
      visit: fc.constantFrom(undefined, 1, 2),
      absences: fc.array(fc.record({ pause: seconds(1, 200), length: seconds(0, 400) }), { maxLength: 3 }),
    })
    .map(({ absences, ...feed }): SubscriberConfig => {
      let at = 0;
      const apart = absences.map(({ pause, length }) => {
        const from = at + pause;
        at = from + length + 50;
        return { from, to: from + length };
      });
      return { kind: 'feed', ...feed, absences: apart };
    }),
);

/**
 * Everything that may happen, at random, and after it a quiet time in which the watch must go on.
 */
export const randomScenario: fc.Arbitrary<Scenario> = fc
  .record({
    seed: fc.nat(),
    faults: randomFaults,
    publish: randomPublish,
    subscriber,
    sleeps: fc.array(randomSleep, { maxLength: 2 }),
    steps: fc.array(fc.record({ at: seconds(1, 600), by: fc.constantFrom(-600_000, -200_000, 600_000) }), {
      maxLength: 1,
    }),
    resets: fc.array(seconds(1, 600), { maxLength: 1 }),
    wakes: fc.array(seconds(1, 900), { maxLength: 4 }),
    offline: fc
      .array(fc.record({ from: seconds(1, 900), length: seconds(0, 200) }), { maxLength: 2 })
      .map(all => all.map(({ from, length }) => ({ from, to: from + length }))),
    bodyTime: fc.constantFrom(0, 0, 2_000, 9_000),
    service: fc.record({
      block: fc.constantFrom(40_000, 60_000),
      apiTimeout: fc.constantFrom(Infinity, 50_000),
      machines: fc.constantFrom([0], [0], [0, -200], [0, 2_000]),
    }),
  })
  .map((mix): Scenario => {
    const { faults, sleeps, subscriber } = mix;
    const absences = subscriber.kind === 'feed' ? subscriber.absences : [];
    const asleep = sleeps.reduce((sum, { duration }) => sum + duration, 0);
    const ends = [1_000_000, ...faults.map(({ to }) => to), ...absences.map(({ to }) => to + asleep)];
    const quiet = Math.max(...ends);
    const settle = 420_000;
    // The last events show that the watch goes on.
    const publish = [...mix.publish, quiet + 30_000, quiet + 75_000].sort((a, b) => a - b);
    // An answer that is not acknowledged is asked for again, from an index that another machine may
    // have been ahead of.
    const acks = subscriber.kind === 'batches' && subscriber.ack !== undefined;
    const service = acks ? { ...mix.service, machines: [0] } : mix.service;
    // No clock shows a sleep in which the wall clock was set back.
    // Nor one that was set back between a checkpoint and who resumes from it.
    const isHidden =
      sleeps.length > 0 || (subscriber.kind === 'batches' && (subscriber.ack?.crashes?.length ?? 0) > 0);
    const steps = isHidden ? mix.steps.filter(({ by }) => by > 0) : mix.steps;
    // A service that holds polls from above its own index, and gives them up, never says what its
    // index is.
    const resets = service.apiTimeout < service.block ? [] : mix.resets;
    return { ...mix, service, resets, steps, publish, settle, end: quiet + settle + 80_000 };
  });
