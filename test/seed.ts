// Mocha loads this before the tests. All property tests use one seed: this one, so that a run says
// the same again, or that of SEED.
import { configureGlobal } from 'fast-check';

const FIXED = '20261';

const isFixed = !process.env.SEED;
// In the environment, so that the processes that mocha starts use the same seed.
if (isFixed) process.env.SEED = FIXED;
const seed = Number(process.env.SEED);
if (!Number.isSafeInteger(seed)) throw new Error(`SEED must be an integer; got ${process.env.SEED}`);
configureGlobal({ seed });

/** Called once per run, regardless of the number of processes. */
export function mochaGlobalSetup(): void {
  const full = process.env.FULL ? 'FULL=1 ' : '';
  const again = isFixed ? `${full}npm test` : `SEED=${seed} ${full}npm test`;
  console.log(`\n  Property tests use SEED=${seed}${isFixed ? ', as always' : ''}. To repeat them: ${again}`);
}
