import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The versions of Node that `.ci/run` and `npm run consumers` use. */
interface NodeVersions {
  /** The lowest version that package.json promises: the tests, and the packed package. */
  readonly lowest: string;
  /** The packed package. */
  readonly between: readonly string[];
  /** The tests. */
  readonly newest: string;
}

/** Read from a file that `.ci/run` reads, too. */
export const { lowest, between, newest } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'node-versions.json'), 'utf8'),
) as NodeVersions;
