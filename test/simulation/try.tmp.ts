import { simulate, type Scenario } from './simulate.js';
import { explain } from './judge/violation.js';
import { lineOf } from './world/journal.js';
const show = (name: string, s: Scenario) => {
  const r = simulate(s);
  console.log(
    '##',
    name,
    JSON.stringify(s),
    r.violations.map(v => `${v.what}: ${v.detail} at ${v.at / 1000}`),
  );
  for (const v of r.violations.slice(0, 1))
    console.log(explain(v, r.entries).split('\n').slice(-14).join('\n'));
};
// 1. right after a gap: slow ack
show('covered window, slow ack', {
  seed: 1,
  end: 800_000,
  settle: 200_000,
  publish: [451_000, 500_000],
  sleeps: [{ at: 50_000, duration: 400_000, keepsConnections: true }],
  subscriber: { kind: 'batches', ack: { time: 2_500 } },
});
// 2. refused outage, no sleep
for (const to of [390_000])
  show('covered window, news at the gap then slow ack', {
    seed: 1,
    end: 800_000,
    settle: 200_000,
    publish: [81_000, 378_000, 378_500, 600_000],
    faults: [{ kind: 'refused', from: 80_500, to: 377_000 }],
    subscriber: { kind: 'batches', ack: { time: 2_900 } },
  });
// 3. API
show('API', {
  seed: 1,
  end: 700_000,
  publish: [350_000, 500_000],
  service: { block: 60_000, apiTimeout: 50_000 },
  faults: [{ kind: 'refused', from: 255_000, to: 400_000 }],
});
show('API stuck', {
  seed: 0,
  end: 700_000,
  publish: [300_000],
  resets: [1_000],
  service: { block: 60_000, apiTimeout: 50_000 },
});
show('step', {
  seed: 0,
  end: 60_000,
  publish: [3_000, 10_000, 17_000],
  steps: [{ at: 500, by: 600_000 }],
  maxGaps: 1,
});
// machines apart and an outage just below the limit
for (const skew of [1_000, 5_000, 30_000])
  show(`machines ${skew}`, {
    seed: 3,
    end: 900_000,
    settle: 200_000,
    service: { machines: [0, skew], machineOf: n => n % 2 },
    publish: [30_000, 60_000, 330_000, 600_000],
    faults: [{ kind: 'refused', from: 100_000, to: 360_000 }],
  });
