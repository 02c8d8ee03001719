import { deepStrictEqual, ok } from 'node:assert';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { filesUnder } from '../files-under.js';
import { moduleOf } from './modules.js';

const TEST = join(import.meta.dirname, '..');
const SRC = join(TEST, '../src');
const tests = filesUnder(TEST, '.test.ts').map(path => relative(TEST, path));
const sources = filesUnder(SRC, '.ts').map(path => relative(SRC, path));

/** Folders of tests that are about no single module. */
const OF_NO_MODULE = ['law', 'simulation'];

/**
 * A promise that a timer resolves after some time. `waitUntil` waits for a condition, a timer
 * without a time for the timers that are due, and a timer of RxJS in a marble test for nothing at
 * all.
 */
const SLEEP =
  /new Promise[^;]*\bsetTimeout\([^;]*,\s*(?!0\b)[^\s)]|timers\/promises|ValueFrom\(\s*(?:timer|interval)\(|Atomics\.wait\(/;

/** Tests that have to, and why. */
const SLEEPS: Readonly<Record<string, string>> = {
  'transport/hostile-body.test.ts': 'measures that nothing is busy meanwhile; zlib has threads of its own',
};

/** Tests that import a single source file and have another name, and why. */
const OF_A_PART: Readonly<Record<string, string>> = {
  'integrations/fleet/nats/records/messages-in-order.test.ts': 'the rest of identity-messages.ts needs NATS',
  'integrations/fleet/read/record-chain.test.ts': 'a class in handled-records.ts',
  'stream/feed/buffer-while.test.ts': 'the operator with which an audience queues',
  'tools/cli/usage.test.ts': 'runs every command, and imports only the exit codes',
};

describe('a test', () => {
  it('never sleeps', () => {
    const sleeping = tests.filter(path => SLEEP.test(readFileSync(join(TEST, path), 'utf8')));
    deepStrictEqual(sleeping, Object.keys(SLEEPS));
  });

  it('is in a folder that src has, too', () => {
    const folders = [...new Set(tests.map(path => dirname(path)))];
    deepStrictEqual(
      folders.filter(folder => !OF_NO_MODULE.includes(folder) && !existsSync(join(SRC, folder))),
      [],
    );
    ok(folders.length > 10);
  });

  it('is where the file of its module is that it has the name of; others are about a concept', () => {
    const misplaced = tests.filter(path => {
      const tested = sources.filter(
        source =>
          moduleOf(source) === moduleOf(path) && basename(source, '.ts') === basename(path, '.test.ts'),
      );
      return tested.length > 0 && !tested.some(source => dirname(source) === dirname(path));
    });
    deepStrictEqual(misplaced, []);
  });

  it('has the name of the only source file that it imports, or of another one', () => {
    const names = new Set(sources.map(source => basename(source, '.ts')));
    const misnamed = tests
      .filter(path => !names.has(basename(path, '.test.ts')))
      .filter(path => {
        const [source, ...others] = importsOf(path);
        return source !== undefined && others.length === 0 && !/^lobby-rx|\bindex$/.test(source);
      });
    deepStrictEqual(misnamed, Object.keys(OF_A_PART));
  });
});

/**
 * What a test imports of the library: source files as paths below `src`, without their endings, and
 * entries of the package.
 */
function importsOf(path: string): readonly string[] {
  const text = readFileSync(join(TEST, path), 'utf8');
  return [...text.matchAll(/from '(?:(?:\.\.\/)+src\/([^']+)\.js|(lobby-rx[^']*))'/g)].map(
    ([, source, entry]) => source ?? entry!,
  );
}
