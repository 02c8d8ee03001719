// Mocha loads this before the tests: all property tests begin from one seed, which is new in each run.
import { configureGlobal } from 'fast-check';

// In the environment, so that the processes that mocha starts have the same one.
process.env.SEED ??= String(Math.floor(Math.random() * 2 ** 31));
const seed = Number(process.env.SEED);
if (!Number.isSafeInteger(seed)) throw new Error(`SEED must be an integer; got ${process.env.SEED}`);
configureGlobal({ seed });

/** Called once a run, whatever the number of processes. */
export function mochaGlobalSetup(): void {
  console.log(`\n  Property tests begin from SEED=${seed}; give it to repeat them.`);
}
