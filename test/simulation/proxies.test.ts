import { deepStrictEqual, ok } from 'node:assert';
import { randomNumbers, simulate } from './simulate.js';
import type { OddEnd } from './world/fault.js';

/** What proxies say when they end a poll that is held for too long. */
const ENDS: readonly (number | 'lost' | OddEnd)[] = [
  502,
  503,
  504,
  204,
  'lost',
  'own 502',
  'own 503',
  'own 504',
  'empty',
  'blank',
  'null',
  '{}',
];

/**
 * Three hours in which each poll is ended after 30 s: how often the status was `retrying`, and how
 * long each event took, in s.
 */
function threeHours(by: number | 'lost' | OddEnd) {
  const end = 10_800_000;
  const random = randomNumbers(7);
  const publish: number[] = [];
  for (let at = 1_000; at < end - 60_000; at += 5_000 + random() * 200_000) publish.push(Math.round(at));
  const { entries, events, violations } = simulate({
    seed: 1,
    end,
    publish,
    subscriber: { kind: 'signals' },
    faults: [{ kind: 'cuts', after: 30_000, by, from: 500, to: end }],
  });
  const retrying = entries.filter(entry => entry.kind === 'status' && entry.state === 'retrying').length;
  const delays = entries.flatMap(entry =>
    entry.kind === 'delivered' ? entry.ids.map(id => (entry.true - events[id - 1]!.at) / 1_000) : [],
  );
  const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
  return { violations, retrying, delays: delays.length, mean, worst: Math.max(...delays) };
}

describe('a proxy that ends each poll after 30 s, in a simulation', () => {
  it('makes no difference by what it says', () => {
    const [first, ...others] = ENDS.map(threeHours);
    for (const { retrying, delays, mean, worst, violations } of [first!, ...others]) {
      deepStrictEqual([violations, delays], [[], first!.delays]);
      // One of many may fall on the other side of a moment.
      ok(Math.abs(retrying - first!.retrying) <= 1, `${retrying} and ${first!.retrying} times retrying`);
      ok(mean <= 0.15 && worst <= 1, `mean ${mean} s, worst ${worst} s`);
    }
  });
});
