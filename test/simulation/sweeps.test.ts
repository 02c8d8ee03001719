import { expectNoViolation, LONG, some, sweep, type Case } from './survey.js';
import type { Scenario } from './simulate.js';
import { faultName, type FaultKind } from './world/fault.js';

const SEED = Number(process.env.SEED ?? 0);
const BLOCKS = [40_000, 60_000];
const HALF_AN_HOUR = 1_800_000;

/** Events in this interval, from one time to another. */
const every = (interval: number, from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / interval) }, (_, i) => from + i * interval);

/**
 * A fault of half an hour while events are published in an interval; what is still to come
 * afterwards, for so long.
 */
function lasting(kind: FaultKind, from: number, block: number, interval: number, after = 0): Case {
  const end = HALF_AN_HOUR + after;
  const scenario: Scenario = {
    seed: SEED + from,
    service: { block },
    faults: [{ ...kind, from, to: HALF_AN_HOUR }],
    publish: every(interval, 2_000, end),
    end,
    settle: 450_000,
  };
  return [faultName(kind), scenario];
}

/** Outages around the age at which an index expires, with an event every 7 s. */
function* outages(kind: FaultKind): Generator<Case> {
  for (const duration of sweep(250_000, 300_000, { step: 1_000, coarse: 10_000 }))
    for (const block of some(BLOCKS))
      for (const phase of some([0, 0.5, 0.999])) {
        const from = Math.round(100 + block + phase * block);
        const to = from + duration;
        const scenario: Scenario = {
          seed: SEED + duration,
          service: { block },
          faults: [{ ...kind, from, to }],
          publish: [...every(7_000, from + 500, to), to + 80_000],
          end: to + 400_000,
        };
        yield [faultName(kind), scenario];
      }
}

describe('a simulated outage of 250 to 300 s', () => {
  const proxies: FaultKind[] = [
    { kind: 'proxy', status: 204, after: 0 },
    { kind: 'proxy', status: 408, after: 20_000 },
  ];
  for (const status of [500, 502, 503])
    for (const after of [0, 3_000, 6_000, 30_000])
      proxies.push({ kind: 'proxy', status, after, isEmpty: status === 500 });
  for (const kind of [
    { kind: 'refused' },
    { kind: 'own error', status: 503 },
    { kind: 'black hole', resent: true },
    { kind: 'black hole', resent: false },
    ...proxies,
  ] satisfies FaultKind[])
    it(`drops no index that the service still knows: ${faultName(kind)}`, () =>
      expectNoViolation(outages(kind))).timeout(LONG);
});

describe('a simulated watch whose polls are ended after a while', () => {
  for (const by of [503, 408, 504, 'lost'] as const)
    it(`loses nothing and has no failure if ${by} ends them`, () =>
      expectNoViolation(
        [5_000, 7_000, 12_000, 20_000, 29_000, 39_000, 45_000, 60_000].flatMap(after =>
          some(BLOCKS).flatMap(block =>
            some([7_000, 31_000, 95_000, 400_000]).map(interval =>
              lasting({ kind: 'cuts', after, by }, 10, block, interval),
            ),
          ),
        ),
      )).timeout(LONG);
});

describe('an index whose answer is broken each time, in a simulation', () => {
  for (const how of [500, 502, 'lost', 'no JSON', 'too large', 'unread'] as const)
    it(`is dropped with one gap if the answer is broken by ${how}`, () =>
      expectNoViolation(
        [0, 3_000, 6_000, 30_000].flatMap(after =>
          some(BLOCKS).flatMap(block =>
            some([60_000, 95_000, 119_900]).map((from): Case => {
              const [group, scenario] = lasting({ kind: 'poison', after, how }, from, block, 7_300);
              return [group, { ...scenario, maxGaps: 1 }];
            }),
          ),
        ),
      )).timeout(LONG);
});

describe('a simulated cache that repeats idle answers', () => {
  const caches = (ttls: readonly number[], rest: { ignoresQuery: boolean; isShared?: boolean }) =>
    ttls.flatMap(ttl =>
      some(BLOCKS).flatMap(block =>
        some([3_000, 31_000, 95_000, 290_000]).flatMap(interval =>
          some([10, 60_000, 95_000]).map(from =>
            lasting({ kind: 'cache', ttl, ...rest }, from, block, interval, 600_000),
          ),
        ),
      ),
    );
  const TTLS = [2_000, 10_000, 60_000, 280_000, 320_000, 900_000];
  it('hides no event without a gap if it goes by the URL', () =>
    expectNoViolation(caches(TTLS, { ignoresQuery: false }))).timeout(LONG);
  it('hides no event without a gap if it ignores the query', () =>
    expectNoViolation(caches(TTLS, { ignoresQuery: true }))).timeout(LONG);
  it('hides no event without a gap if another client polls through it', () =>
    expectNoViolation(
      caches([2_000, 10_000, 60_000, 320_000], { ignoresQuery: true, isShared: true }),
    )).timeout(LONG);
});

describe('a service that forgets nothing', () => {
  it('loses nothing in an outage of an hour, with no gap', () =>
    expectNoViolation(
      some(BLOCKS).flatMap(block =>
        [502, 503].map((status): Case => {
          const kind: FaultKind = { kind: 'proxy', status, after: 0 };
          const [from, to] = [90_000, 3_690_000];
          const service = { block, retention: Infinity };
          const publish = [...every(61_000, 2_000, to), to + 80_000];
          const scenario: Scenario = {
            seed: SEED,
            service,
            retention: Infinity,
            faults: [{ ...kind, from, to }],
            publish,
            end: to + 400_000,
            maxGaps: 0,
          };
          return [faultName(kind), scenario];
        }),
      ),
    )).timeout(LONG);
});
