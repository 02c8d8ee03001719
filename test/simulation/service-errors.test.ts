import { faultName, type FaultKind } from './world/fault.js';
import { expectNoViolation, sweep, type Case } from './survey.js';

const every = (interval: number, from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / interval) }, (_, i) => from + i * interval);

/** Events before, in and after a trouble, or only long after it. */
const patterns = (from: number, to: number) => [
  [to + 90_000],
  [...every(7_000, from - 20_000, from), ...every(31_000, from, to), ...every(9_000, to, to + 60_000)],
];

const OWN_ERRORS: readonly FaultKind[] = [
  { kind: 'own error', status: 503 },
  { kind: 'own error', status: 503, after: 20_000 },
  { kind: 'own error', status: 429, after: 120_000 },
  { kind: 'own error', status: 429, after: 120_000, dated: true },
];

function* lasting(kind: FaultKind, durations: readonly number[]): Generator<Case> {
  const from = 60_000;
  let seed = 1;
  for (const duration of durations) {
    const to = from + duration;
    for (const publish of patterns(from, to)) {
      const faults = [{ ...kind, from, to }];
      const end = to + 460_000;
      yield [faultName(kind), { seed: seed++, faults, publish, end, settle: 350_000 }];
    }
  }
}

describe('a simulated service', () => {
  for (const kind of OWN_ERRORS) {
    it(`loses nothing, and is polled no sooner than it asks: ${faultName(kind)}`, () =>
      expectNoViolation(
        lasting(kind, [...sweep(20_000, 400_000, { step: 4_000, coarse: 95_000 }), 600_000]),
      ));
  }

  it('has a gap every five minutes if it is quiet behind a proxy that cuts each poll, and loses nothing', () =>
    expectNoViolation(
      lasting({ kind: 'cuts', after: 30_000 }, sweep(100_000, 1_500_000, { step: 20_000, coarse: 280_000 })),
    ));

  it('has no gap for as long as its API gives up the polls that it holds', () =>
    expectNoViolation(
      [0, 3_000, 60_000, 250_000].map(interval => {
        const publish = interval === 0 ? [] : every(interval, 1_000, 1_800_000);
        const service = { block: 60_000, apiTimeout: 50_000 };
        return ['API_REQUEST_TIMEOUT', { seed: 1, end: 1_800_000, publish, service }] as const;
      }),
    ));

  it('loses nothing if its API gives up polls before an outage, although they bring no new index', () =>
    expectNoViolation(
      sweep(20_000, 420_000, { step: 10_000, coarse: 50_000 }).flatMap(quiet =>
        [90_000, 150_000].map((duration, seed): Case => {
          const [from, to] = [quiet, quiet + duration];
          const faults = [{ kind: 'refused', from, to } as const];
          const service = { block: 60_000, apiTimeout: 50_000 };
          const publish = [to - 20_000, to + 200_000];
          return [
            'an outage after API_REQUEST_TIMEOUT',
            { seed, faults, publish, service, end: to + 400_000 },
          ];
        }),
      ),
    ));

  it('is polled no sooner than a date that it gives, and not much later, whatever the clock of the client shows', () =>
    expectNoViolation(
      [-600_000, -30_000, 30_000, 600_000].map((by): Case => {
        const faults = [
          { kind: 'own error', status: 429, after: 60_000, dated: true, from: 60_000, to: 300_000 } as const,
        ];
        return [
          'a wrong clock',
          { seed: 1, faults, steps: [{ at: 50_000, by }], publish: [320_000], end: 600_000 },
        ];
      }),
    ));

  it('has no gap if the bodies of its answers are slow', () =>
    expectNoViolation(
      [0, 3_000, 60_000].map(interval => {
        const publish = interval === 0 ? [] : every(interval, 1_000, 1_800_000);
        return ['slow bodies', { seed: 1, end: 1_800_000, publish, bodyTime: 14_000 }] as const;
      }),
    ));

  it('loses nothing in an outage after slow bodies, during which there were events', () =>
    expectNoViolation(
      sweep(240_000, 320_000, { step: 1_000, coarse: 8_000 }).flatMap((duration, seed) =>
        [2_000, 9_000, 14_000].map((bodyTime): Case => {
          const to = 30_000 + duration;
          const faults = [{ kind: 'refused', from: 30_000, to } as const];
          const publish = [10_000, 10_300, to - 100_000, to + 150_000];
          return ['an outage after slow bodies', { seed, faults, bodyTime, publish, end: to + 400_000 }];
        }),
      ),
    ));

  for (const answersAbove of [false, true]) {
    it(`may begin again from small indexes, and ${answersAbove ? 'answer' : 'hold'} what is above them`, () =>
      expectNoViolation(
        sweep(45_000, 130_000, { step: 500, coarse: 8_500 }).flatMap((at, seed) =>
          patterns(at, at + 30_000).map(publish => {
            const scenario = { seed, publish, resets: [at], service: { answersAbove }, end: at + 360_000 };
            return ['a reset', scenario] as const;
          }),
        ),
      ));
  }

  it('may begin again behind a proxy that cuts polls before it answers them', () =>
    expectNoViolation(
      sweep(45_000, 130_000, { step: 500, coarse: 8_500 }).flatMap((at, seed) =>
        patterns(at, at + 30_000).map(publish => {
          const end = at + 900_000;
          const faults = [{ kind: 'cuts', after: 30_000, from: 10, to: end } as const];
          return [
            'a reset behind a proxy',
            { seed, publish, resets: [at], faults, end, settle: 450_000 },
          ] as const;
        }),
      ),
    ));
});
