import { deepStrictEqual, ok } from 'node:assert';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pages } from './pages.js';

const ROOT = join(import.meta.dirname, '../..');

/** Tests that run a block of code of a page, and a text that the block has. */
const RUN_BY: readonly (readonly [page: string, text: string, test: string])[] = [
  ['docs/angular.md', 'bootstrapApplication', 'test/consumers/frameworks.ts'],
  ['docs/angular.md', 'createEnvironmentInjector', 'test/consumers/frameworks.ts'],
  ['docs/angular.md', 'app-toasts', 'test/consumers/frameworks.ts'],
  ['docs/angular.md', 'withHttpClientCalls()', 'test/consumers/frameworks.ts'],
  ['docs/angular.md', 'toResource(', 'test/consumers/frameworks.ts'],
  ['docs/angular.md', 'ionViewDidLeave', 'test/consumers/frameworks.ts'],
  ['docs/angular.md', 'TestBed.configureTestingModule', 'test/consumers/frameworks.ts'],
  ['docs/browser.md', "addEventListener('fetch'", 'test/integrations/browser/page/service-worker.ts'],
  ['docs/browser.md', 'proxy_ssl_server_name', 'test/transport/same-origin.proxy.ts'],
  ['docs/browser.md', "locks.request('renew'", 'test/law/copied-blocks.check.ts'],
  ['docs/browser.md', 'saved = sessionStorage', 'test/law/copied-blocks.check.ts'],
  ['docs/command-line.md', 'lobby-rx connected', 'test/tools/cli/copied-commands.check.ts'],
  ['docs/debugging.md', 'doctor --lobby', 'test/tools/cli/copied-commands.check.ts'],
  ['docs/debugging.md', 'doctor --origin', 'test/tools/cli/copied-commands.check.ts'],
  ['docs/emulator.md', 'control() {', 'test/tools/cli/copied-commands.check.ts'],
  ['docs/fleet-restore.md', 'backup.ts save', 'test/nats/moved-fleet.nats.ts'],
  ['docs/fleet-restore.md', 'backup.ts restore', 'test/nats/moved-fleet.nats.ts'],
  ['docs/fleet.md', 'npm run fleet ', '.ci/run'],
  ['docs/fleet.md', 'npm install', 'test/law/copied-blocks.check.ts'],
  ['docs/fleet-operations.md', "url === '/ready'", 'test/law/copied-blocks.check.ts'],
  ['docs/fleet-operations.md', 'examples/fleet/reader.py', 'test/nats/run-fleet.nats.ts'],
  ['docs/in-development.md', 'page.lobbyClient?.close()', 'test/consumers/rendering.ts'],
  ['docs/in-development.md', 'defineNuxtPlugin', 'test/consumers/rendering.ts'],
  ['docs/losing-nothing.md', 'tx.renewLease', 'test/law/copied-blocks.check.ts'],
  ['docs/losing-nothing.md', 'saveCheckpoint.run', 'test/law/copied-blocks.check.ts'],
  ['docs/metrics.md', 'npm install', 'test/law/copied-blocks.check.ts'],
  ['docs/metrics.md', 'new PrometheusExporter', 'test/law/copied-blocks.check.ts'],
  ['docs/migration.md', 'getMembers: {', 'test/law/copied-blocks.check.ts'],
  ['docs/state.md', 'renders: typeof window', 'test/law/copied-blocks.check.ts'],
  ['docs/state.md', "from 'solid-js'", 'test/consumers/rendering.ts'],
  ['docs/state.md', 'useSyncExternalStore', 'test/consumers/frameworks.ts'],
  ['docs/state.md', 'triggerRef', 'test/consumers/frameworks.ts'],
  ['docs/state.md', 'createSubscriber', 'test/consumers/frameworks.ts'],
  ['docs/state.md', 'AppState', 'test/consumers/bundlers.ts'],
  ['docs/test-runners.md', '--experimental-vm-modules', 'test/consumers/test-runners.ts'],
  ['docs/test-runners.md', '@swc/jest', 'test/consumers/test-runners.ts'],
  ['docs/test-runners.md', 'jest-environment-jsdom', 'test/consumers/test-runners.ts'],
  ['docs/test-runners.md', "'ts-jest'", 'test/consumers/test-runners.ts'],
  ['docs/the-service.md', 'const findLobby', 'test/law/copied-blocks.check.ts'],
  ['docs/tokens.md', 'export async function signIn', 'test/law/copied-blocks.check.ts'],
  ['docs/transport.md', 'createRequire', 'test/consumers/bundlers.ts'],
  ['docs/where-it-runs.md', 'THIS_IS_UNDEFINED', 'test/consumers/bundlers.ts'],
  ['docs/where-it-runs.md', 'packageExports', 'test/consumers/bundlers.ts'],
  ['docs/workbench.md', 'emulate --ui', 'test/tools/workbench/start-workbench.ts'],
];

/** Pages all of whose blocks in these languages are run by one test. */
const RUN_WHOLE: readonly (readonly [page: string, languages: RegExp, test: string])[] = [
  ['docs/proxies.md', /^(?:nginx|haproxy|txt|yaml|sh)$/, 'test/documented-proxies.ts'],
  ['README.md', /^sh$/, '.ci/run'],
  // The same commands.
  ['docs/home.md', /^sh$/, '.ci/run'],
];

/** Pictures, and what programs print: no code to copy. */
const NOT_CODE = /^(?:mermaid|jsonl|diff)$/;
/** What people have before they copy what follows it. */
const BEFORE = '// Before:';

/**
 * How many blocks are compiled at most, but not run. The number goes down: mend one, and
 * lower it.
 */
const MOST_NOT_RUN = 18;

interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** Whether `snippets.check.ts` runs it. */
  readonly isSnippet: boolean;
}

const BLOCK = /(?<mark><!-- not run: .+ -->\n+)?^ *```(?<language>\w+)[^\n]*\n(?<code>[^]*?)^ *```$/gm;

const blocks: readonly Block[] = pages
  .filter(({ name }) => /^(?:README|docs\/[\w-]+)\.md$/.test(name))
  .flatMap(({ name: page, text }) =>
    [...text.matchAll(BLOCK)].map(({ index, groups = {} }) => ({
      page,
      line: text.slice(0, index).split('\n').length,
      language: groups.language!,
      code: groups.code!,
      isSnippet: groups.language === 'ts' && groups.mark === undefined,
    })),
  );

function isRun({ page, language, code, isSnippet }: Block): boolean {
  if (isSnippet || NOT_CODE.test(language) || code.startsWith(BEFORE)) return true;
  if (RUN_WHOLE.some(([known, languages]) => known === page && languages.test(language))) return true;
  return RUN_BY.some(([known, text]) => known === page && code.includes(text));
}

describe('What people copy from the pages', () => {
  it('is named with a test that reads the page, and runs it', () => {
    const wrong = [...RUN_BY, ...RUN_WHOLE].filter(([page, , test]) => {
      if (!existsSync(join(ROOT, test))) return true;
      const source = readFileSync(join(ROOT, test), 'utf8');
      return test !== '.ci/run' && !source.includes(page);
    });
    deepStrictEqual(wrong, []);
    const unused = RUN_BY.filter(
      ([page, text]) => !blocks.some(block => block.page === page && block.code.includes(text)),
    );
    deepStrictEqual(unused, []);
  });

  it(`is run, but for ${MOST_NOT_RUN} blocks`, () => {
    const notRun = blocks.filter(block => !isRun(block));
    const names = notRun.map(({ page, line, language }) => `${page}:${line} ${language}`);
    ok(notRun.length <= MOST_NOT_RUN, `${notRun.length} blocks:\n${names.join('\n')}`);
  });
});
