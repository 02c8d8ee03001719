import fc from 'fast-check';
import { ok } from 'node:assert';
import { runs } from '../runs.js';
import { randomScenario } from './random-scenario.js';
import { simulate } from './simulate.js';
import { explain } from './judge/violation.js';

describe('everything at once, in a simulation', () => {
  it('loses nothing without a gap, whatever happens', () => {
    fc.assert(
      fc.property(randomScenario, scenario => {
        const { violations, entries } = simulate(scenario);
        const [first] = violations;
        ok(!first, first && explain(first, entries));
      }),
      { numRuns: runs(600) },
    );
  });
});
