import { recipe } from './recipe.js';
import type { Consumer, Workshop } from './workshop.js';

const PAGE = 'docs/test-runners.md';
const VITEST = '5.1.1';
const JEST = '30.5.2';
const WITH_JSDOM = 'DOCUMENT=object';

/** The script of the recipe for Jest's own ESM support. */
const { scripts } = JSON.parse(recipe(PAGE, '--experimental-vm-modules')) as { scripts: { test: string } };

const jest = (proves: string, run: string): readonly Consumer[] => [
  { name: 'Jest', version: JEST, proves, run },
  {
    name: 'Jest',
    version: JEST,
    proves: `${proves}, in jsdom`,
    run: `export ${WITH_JSDOM}; ${run} --env ./jsdom-environment.cjs`,
  },
];

export const testRunners: readonly Workshop[] = [
  {
    packages: ['jest@30.5.2', 'ts-jest@29.4.5', 'typescript@5.9.3', '@types/jest@30.0.0'],
    copies: ['program'],
    files: {
      'tests/package.json': '{}',
      'tests/jest.config.cjs': recipe(PAGE, "'ts-jest'"),
      'tests/game.test.ts': `
        import { firstValueFrom } from 'rxjs';
        import { createClient } from 'lobby-rx';
        import { createEmulator, listen } from 'lobby-rx/emulator';

        test('asks the emulator over HTTP', async () => {
          const emulator = createEmulator();
          const { token, identity_id } = emulator.addIdentity({ display_name: 'Ada' });
          const group_id = emulator.addGroup();
          emulator.join(group_id, identity_id);
          const server = await listen(emulator);
          const client = createClient({ url: server.url, token });
          const { identity } = await firstValueFrom(client.group.members(group_id));
          expect(identity.display_name).toBe('Ada');
          expect(emulator.requests.length).toBe(1);
          client.close();
          await server.close();
        });`,
    },
    consumers: [
      {
        name: 'ts-jest',
        version: '29.4.5',
        proves: 'a test, with type checks',
        run: 'cd tests && jest --rootDir .',
      },
    ],
  },
  {
    packages: [`vitest@${VITEST}`, 'jsdom@26.1.0'],
    copies: ['program', 'test-runner'],
    consumers: [
      {
        name: 'Vitest',
        version: VITEST,
        proves: 'a test, without configuration',
        run: 'vitest run --globals',
      },
      {
        name: 'Vitest',
        version: VITEST,
        proves: 'a test, in jsdom',
        run: `${WITH_JSDOM} vitest run --globals --environment jsdom`,
      },
    ],
  },
  {
    packages: [`jest@${JEST}`, `jest-environment-jsdom@${JEST}`, '@swc/core@1.16.22', '@swc/jest@0.2.39'],
    copies: ['program', 'test-runner'],
    files: {
      'jsdom-environment.cjs': recipe(PAGE, 'jest-environment-jsdom'),
      'commonjs/package.json': '{}',
      'commonjs/jest.config.js': recipe(PAGE, "'@swc/jest'"),
    },
    consumers: [
      ...jest('a test, with its own ESM support', scripts.test),
      ...jest(
        'a test, converted to CommonJS by SWC',
        'cp *.js *.cjs commonjs && cd commonjs && jest --rootDir .',
      ),
    ],
  },
];
