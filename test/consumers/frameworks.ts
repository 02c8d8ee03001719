import { recipe } from './recipe.js';
import type { Workshop } from './workshop.js';

const PAGE = 'docs/state.md';
const VITEST = ['vitest@5.1.1', 'vite@8.3.8', 'jsdom@26.1.0'];

/** A release of Angular, the TypeScript that it accepts, and the command that starts the Node that it needs. */
const angular = (version: string, typescript: string, node: string): Workshop => ({
  packages: [
    ...[...VITEST, `typescript@${typescript}`, 'zone.js@0.15.1'],
    ...['core', 'common', 'compiler', 'platform-browser'].map(name => `@angular/${name}@${version}`),
  ],
  copies: ['angular'],
  files: {
    'session-app.ts': recipe('docs/angular.md', 'createEnvironmentInjector').replace(
      "'https://api.example.com'",
      'url',
    ),
    'angular-app.ts': recipe('docs/angular.md', 'bootstrapApplication').replace(
      "'https://api.example.com'",
      'url',
    ),
  },
  consumers: [
    { name: 'Angular', version, proves: 'the recipe has no type errors', run: 'tsc' },
    {
      ...{
        name: 'Angular',
        version,
        proves: 'the recipes show a group as it changes, and end with a session',
      },
      run: `${node} node_modules/vitest/vitest.mjs run`,
    },
  ],
});

/** What the docs recommend to applications, type-checked and run in jsdom. */
export const frameworks: readonly Workshop[] = [
  {
    packages: [
      ...[...VITEST, 'typescript@5.9.3'],
      ...['react@19.3.1', 'react-dom@19.3.1', '@types/react@19.3.0', '@types/react-dom@19.3.0'],
      ...['vue@3.5.45', '@vitejs/plugin-vue@6.0.11', 'vue-tsc@3.3.14'],
      ...['svelte@5.57.3', '@sveltejs/vite-plugin-svelte@7.3.1', 'svelte-check@4.7.8'],
    ],
    copies: ['frameworks'],
    files: {
      'Lobby.tsx': recipe(PAGE, 'useSyncExternalStore'),
      'VueLobby.vue': recipe(PAGE, 'triggerRef'),
      'SvelteLobby.svelte': recipe(PAGE, 'createSubscriber'),
    },
    consumers: [
      {
        ...{ name: 'Vue and React', version: '3.5.45, 19.3.1', proves: 'the recipes have no type errors' },
        run: 'vue-tsc',
      },
      {
        ...{ name: 'Svelte', version: '5.57.3', proves: 'the recipe has no type errors' },
        run: 'svelte-check --fail-on-warnings',
      },
      ...(
        [
          ['React', '19.3.1'],
          ['Vue', '3.5.45'],
          ['Svelte', '5.57.3'],
        ] as const
      ).map(([name, version]) => ({
        ...{ name, version, proves: 'the recipe shows a group and the feed as they change' },
        run: `vitest run ${name.toLowerCase()}.spec`,
      })),
    ],
  },
  angular('20.3.33', '5.9.3', 'node'),
  angular('21.2.26', '5.9.3', 'node'),
  angular('22.2.2', '6.0.3', 'npx -y -p node@22 node'),
];
