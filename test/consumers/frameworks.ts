import { recipe } from './recipe.js';
import type { Workshop } from './workshop.js';

const PAGE = 'docs/state.md';
const JSDOM = 'jsdom@26.1.0';
const VITEST = ['vitest@5.1.1', 'vite@8.3.8', JSDOM];

const ANGULAR_PAGE = 'docs/angular.md';

/** A part of the page about Angular, as an application has it in a file. */
const angularRecipe = (text: string) =>
  recipe(ANGULAR_PAGE, text).replace("'https://api.example.com'", 'url');

/** A release of Angular, what it goes with, and the command that starts the Node that it needs. */
interface AngularRelease {
  readonly version: string;
  readonly typescript: string;
  /** Its test runner. */
  readonly vitest: readonly string[];
  readonly node: string;
  /** Undefined if its own tests are not those of `ng new` yet: Vitest then runs by itself. */
  readonly hasUnitTests: boolean;
}

/** What the page about Angular shows, built by `ng build` and tested by `ng test`. */
function angular({ version, typescript, vitest, node, hasUnitTests }: AngularRelease): Workshop {
  const ng = `${node} node_modules/@angular/cli/bin/ng.js`;
  const packages = ['core', 'common', 'compiler', 'compiler-cli', 'platform-browser', 'cli', 'build'];
  const name = 'Angular';
  const files = {
    'src/angular-app.ts': angularRecipe('bootstrapApplication'),
    'src/session-app.ts': angularRecipe('createEnvironmentInjector'),
    'src/toasts.ts': angularRecipe('app-toasts'),
    'src/providers.ts': angularRecipe('withHttpClientCalls()'),
    'src/members.ts': angularRecipe('toResource('),
    'src/group.ts': angularRecipe('ionViewDidLeave'),
  };
  const spec = { 'src/roster.spec.ts': angularRecipe('TestBed.configureTestingModule') };
  const written = hasUnitTests ? { ...files, ...spec } : files;
  const modules = Object.keys(written).filter(path => !path.endsWith('.spec.ts'));
  const main = modules.map(path => `export * from './${path.slice(4, -3)}';`).join('\n');
  return {
    packages: [
      ...vitest,
      `typescript@${typescript}`,
      'zone.js@0.15.1',
      'tslib@2.8.1',
      ...packages.map(each => `@angular/${each}@${version}`),
    ],
    copies: ['angular'],
    files: { ...written, 'src/main.ts': main },
    consumers: [
      {
        name,
        version,
        proves: 'ng build takes all of the page, with strict templates and without a warning',
        run: `set -o pipefail; ${ng} build 2>&1 | tee build.log && ! grep WARNING build.log`,
      },
      {
        name,
        version,
        proves: 'its tests show a group as it changes, and end with a session',
        run: hasUnitTests ? `${ng} test` : `${node} node_modules/vitest/vitest.mjs run`,
      },
    ],
  };
}

/** `ng add` in an application of `ng new`, whose component then injects the feed. */
function ngAdd(
  version: string,
  { vitest, typescript }: Pick<AngularRelease, 'vitest' | 'typescript'>,
): Workshop {
  const packages = ['build', 'cli', 'common', 'compiler', 'compiler-cli', 'core', 'platform-browser'];
  const onServer = ['platform-server', 'router', 'ssr'];
  const ng = 'npx -y -p node@22 node ../node_modules/@angular/cli/bin/ng.js';
  const add = `${ng} add lobby-rx --skip-confirmation --defaults --host play.example`;
  const component = `import { Component } from '@angular/core';
import { injectFeed } from 'lobby-rx/angular';

@Component({ selector: 'app-root', template: '<h1>Hello, app: {{ feed.status().state }}</h1>' })
export class App {
  readonly feed = injectFeed();
}
`;
  return {
    packages: [
      ...vitest,
      `typescript@${typescript}`,
      'tslib@2.8.1',
      '@types/node@22.20.7',
      '@types/express@5.0.6',
      'express@5.3.0',
      ...[...packages, ...onServer].map(each => `@angular/${each}@${version}`),
    ],
    files: { 'app.ts': component },
    consumers: [
      {
        name: 'ng add',
        version,
        proves: 'an application of ng new has one client, on a server and in its tests, also if added twice',
        run: [
          'set -o pipefail; export NG_CLI_ANALYTICS=false',
          `${ng.replace('../', '')} new app --defaults --ssr --skip-install --skip-git`,
          'cd app',
          `${add} | tee ../added.log`,
          'grep play.example angular.json',
          'grep RenderMode.Server ../added.log',
          `cp -r . ../added && ${add} | tee ../added-again.log && diff -r . ../added`,
          '! grep provideLobbyTesting ../added-again.log',
          'cp ../app.ts src/app/app.ts',
          `${ng} test --watch=false`,
          `${ng} build`,
        ].join(' && '),
      },
    ],
  };
}

/** What the docs recommend to applications, type-checked and run in jsdom. */
export const frameworks: readonly Workshop[] = [
  {
    packages: [
      ...VITEST,
      'typescript@5.9.3',
      'react@19.3.1',
      'react-dom@19.3.1',
      '@types/react@19.3.0',
      '@types/react-dom@19.3.0',
      'vue@3.5.45',
      '@vitejs/plugin-vue@6.0.11',
      'vue-tsc@3.3.14',
      'svelte@5.57.3',
      '@sveltejs/vite-plugin-svelte@7.3.1',
      'svelte-check@4.7.8',
    ],
    copies: ['frameworks'],
    files: {
      'Lobby.tsx': recipe(PAGE, 'useSyncExternalStore'),
      'VueLobby.vue': recipe(PAGE, 'triggerRef'),
      'SvelteLobby.svelte': recipe(PAGE, 'createSubscriber'),
    },
    consumers: [
      {
        name: 'Vue and React',
        version: '3.5.45, 19.3.1',
        proves: 'the recipes have no type errors',
        run: 'vue-tsc',
      },
      {
        name: 'Svelte',
        version: '5.57.3',
        proves: 'the recipe has no type errors',
        run: 'svelte-check --fail-on-warnings',
      },
      ...(
        [
          ['React', '19.3.1'],
          ['Vue', '3.5.45'],
          ['Svelte', '5.57.3'],
        ] as const
      ).map(([name, version]) => ({
        name,
        version,
        proves: 'the recipe shows a group and the feed as they change',
        run: `vitest run ${name.toLowerCase()}.spec`,
      })),
    ],
  },
  angular({
    version: '20.3.33',
    typescript: '5.9.3',
    vitest: ['vitest@3.2.4', JSDOM],
    node: 'node',
    hasUnitTests: false,
  }),
  angular({
    version: '21.2.26',
    typescript: '5.9.3',
    vitest: ['vitest@4.1.12', JSDOM],
    node: 'node',
    hasUnitTests: true,
  }),
  angular({
    version: '22.2.0',
    typescript: '6.0.3',
    vitest: ['vitest@5.1.1', JSDOM],
    node: 'npx -y -p node@22 node',
    hasUnitTests: true,
  }),
  ngAdd('22.2.0', { typescript: '6.0.3', vitest: ['vitest@5.1.1', JSDOM] }),
];
