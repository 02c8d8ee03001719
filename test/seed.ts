// Mocha loads this before the tests. All property tests use one seed, which is different in each run.
import { configureGlobal } from 'fast-check';

// In the environment, so that the processes that mocha starts use the same seed.
process.env.SEED ??= String(Math.floor(Math.random() * 2 ** 31));
const seed = Number(process.env.SEED);
if (!Number.isSafeInteger(seed)) throw new Error(`SEED must be an integer; got ${process.env.SEED}`);
configureGlobal({ seed });

/** Called once per run, regardless of the number of processes. */
export function mochaGlobalSetup(): void {
  console.log(`\n  Property tests use SEED=${seed}. Set it to reproduce them.`);
}
