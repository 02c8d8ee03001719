import { expectNoViolation, type Case } from './survey.js';
import { faultName, type FaultKind } from './world/fault.js';

const every = (interval: number, from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / interval) }, (_, i) => from + i * interval);
const SEED = Number(process.env.SEED ?? 0);

function* outages(kind: FaultKind): Generator<Case> {
  for (let duration = 250_000; duration <= 300_000; duration += 1_000)
    for (const block of [40_000, 60_000])
      for (const phase of [0, 0.5, 0.999]) {
        const from = Math.round(100 + block + phase * block);
        const to = from + duration;
        const publish = [...every(7_000, from + 500, to), to + 80_000];
        yield [
          faultName(kind),
          {
            seed: SEED + duration,
            service: { block },
            faults: [{ ...kind, from, to }],
            publish,
            end: to + 400_000,
          },
        ];
      }
}

describe('the new laws', () => {
  for (const kind of [
    { kind: 'refused' },
    { kind: 'black hole', resent: false },
    { kind: 'black hole', resent: true },
    ...[500, 502, 503].flatMap(status =>
      [0, 3_000, 6_000, 30_000].map(
        after => ({ kind: 'proxy', status, after, isEmpty: status === 500 }) as const,
      ),
    ),
    { kind: 'proxy', status: 204, after: 0 },
    { kind: 'proxy', status: 408, after: 20_000 },
    { kind: 'own error', status: 503 },
  ] as readonly FaultKind[])
    it(`outages of 250–300 s: ${faultName(kind)}`, () => expectNoViolation(outages(kind)));

  for (const by of [503, 408, 504, 'lost'] as const)
    it(`polls ended by ${by}`, () =>
      expectNoViolation(
        [5_000, 7_000, 12_000, 20_000, 29_000, 39_000, 45_000, 60_000].flatMap(after =>
          [40_000, 60_000].flatMap(block =>
            [7_000, 31_000, 95_000, 400_000].map((interval): Case => {
              const end = 1_800_000;
              return [
                faultName({ kind: 'cuts', after, by }),
                {
                  seed: SEED + after,
                  service: { block },
                  faults: [{ kind: 'cuts', after, by, from: 10, to: end }],
                  publish: every(interval, 2_000, end),
                  end,
                  settle: 450_000,
                },
              ];
            }),
          ),
        ),
      ));

  for (const how of [500, 502, 'lost', 'no JSON', 'too large', 'unread'] as const)
    it(`a poisoned index: ${how}`, () =>
      expectNoViolation(
        [0, 3_000, 6_000, 30_000].flatMap(after =>
          [40_000, 60_000].flatMap(block =>
            [60_000, 95_000, 119_900].map((from): Case => {
              const end = 1_800_000;
              return [
                faultName({ kind: 'poison', after, how }),
                {
                  seed: SEED + from,
                  service: { block },
                  faults: [{ kind: 'poison', after, how, from, to: end }],
                  publish: every(7_300, 2_000, end),
                  end,
                  settle: 450_000,
                  maxGaps: 1,
                },
              ];
            }),
          ),
        ),
      ));

  it('shared caches', () =>
    expectNoViolation(
      [2_000, 10_000, 60_000, 320_000].flatMap(ttl =>
        [40_000, 60_000].flatMap(block =>
          [3_000, 31_000, 95_000].map((interval): Case => {
            const to = 1_800_000,
              end = to + 600_000;
            return [
              faultName({ kind: 'cache', ttl, ignoresQuery: true, isShared: true }),
              {
                seed: SEED,
                service: { block },
                faults: [{ kind: 'cache', ttl, ignoresQuery: true, isShared: true, from: 20_000, to }],
                publish: every(interval, 2_000, end),
                end,
                settle: 450_000,
              },
            ];
          }),
        ),
      ),
    ));

  for (const ignoresQuery of [true, false])
    it(`caches${ignoresQuery ? ', whatever the query' : ''}`, () =>
      expectNoViolation(
        [2_000, 10_000, 60_000, 280_000, 320_000, 900_000].flatMap(ttl =>
          [40_000, 60_000].flatMap(block =>
            [3_000, 31_000, 95_000, 290_000].flatMap(interval =>
              [10, 60_000, 95_000].map((from): Case => {
                const to = 1_800_000,
                  end = to + 600_000;
                return [
                  faultName({ kind: 'cache', ttl, ignoresQuery }),
                  {
                    seed: SEED + from,
                    service: { block },
                    faults: [{ kind: 'cache', ttl, ignoresQuery, from, to }],
                    publish: every(interval, 2_000, end),
                    end,
                    settle: 450_000,
                  },
                ];
              }),
            ),
          ),
        ),
      ));
});
