import { recipe } from './recipe.js';
import { BUN, DENO } from './runtimes.js';
import type { Consumer, Workshop } from './workshop.js';

const IN_DEVELOPMENT = 'docs/in-development.md';
const STATE = 'docs/state.md';
const NODE_22 = 'npx -y -p node@22 node';
const BROWSER = 'playwright-core@1.65.1';
const REACT = ['react@19.3.1', 'react-dom@19.3.1', '@types/react@19.3.0', '@types/react-dom@19.3.0'];

/** A recipe with the session of a visitor, from `path`. */
const ofSession = (page: string, text: string, path: string) =>
  `import { session } from '${path}';\n${recipe(page, text).replace("'https://api.example.com'", 'session.url')}`;

/**
 * A server whose visitors leave at any moment, the next of whom sees nothing of theirs, and which
 * polls nothing. Then a browser takes over what the server has rendered.
 */
const visited = (name: string, version: string, run: string, shown: string): Consumer => ({
  name,
  version,
  proves: 'a server that renders: it outlives its visitors, keeps them apart, polls nothing; hydration',
  run,
  prints: `up, alone, silent; shown: ${shown}`,
});

/** The client of a module, by the recipe. */
const CLIENT = ofSession(IN_DEVELOPMENT, 'page.lobbyClient?.close()', './session');

const ANGULAR = '22.2.0';
const OF_ANGULAR = [
  'build',
  'cli',
  'common',
  'compiler',
  'compiler-cli',
  'core',
  'platform-browser',
  'platform-server',
  'router',
  'ssr',
];

/** An application with the engine of Angular that handles no error of the process. */
function angular(packages: readonly string[], runtime: string, version: string, run: string): Workshop {
  const paths = '/ /careless /waiting /lazy /endless';
  return {
    packages: [
      ...packages,
      ...OF_ANGULAR.map(name => `@angular/${name}@${ANGULAR}`),
      'typescript@6.0.3',
      'tslib@2.8.1',
      '@types/node@22.20.7',
      BROWSER,
    ],
    copies: ['rendering/visits', 'rendering/angular'],
    consumers: [
      visited(
        `Angular on ${runtime}`,
        `${ANGULAR}, ${version}`,
        `${NODE_22} node_modules/@angular/cli/bin/ng.js build && node visit.js '${paths}' ${run} dist/app/server/server.mjs`,
        'Ada',
      ),
    ],
  };
}

/** Most templates of Solid are in TypeScript, where a component without types does not build. */
const TYPED_SOLID =
  'tsc --noEmit --strict --skipLibCheck --target es2022 --module esnext --moduleResolution bundler --jsx preserve --jsxImportSource solid-js Lobby.tsx';

/** Frameworks that render on a server, each in the smallest application. */
export const rendering: readonly Workshop[] = [
  {
    packages: ['solid-js@1.9.20', 'vite-plugin-solid@2.11.14', 'vite@8.3.8', 'typescript@5.9.3', BROWSER],
    copies: ['rendering/visits', 'rendering/solid'],
    files: { 'client.ts': CLIENT, 'Lobby.tsx': recipe(STATE, "from 'solid-js'") },
    consumers: [
      visited(
        'Solid',
        '1.9.20',
        `${TYPED_SOLID} && vite build --logLevel warn && vite build --ssr on-server.jsx --outDir server --logLevel warn && node visit.js '/' node server.js`,
        '-,Ada',
      ),
    ],
  },
  {
    packages: ['next@16.4.6', ...REACT, 'typescript@5.9.3', '@types/node@20.19.43', BROWSER],
    copies: ['rendering/visits', 'rendering/next'],
    files: {
      'client.ts': `'use client';\n${CLIENT}`,
      'Lobby.tsx': `'use client';\n${recipe(STATE, 'useSyncExternalStore')}`,
    },
    consumers: [
      visited(
        'Next',
        '16.4.6',
        "NEXT_TELEMETRY_DISABLED=1 next build && node visit.js '/ /own' node_modules/.bin/next start",
        '-,Ada',
      ),
      {
        name: 'Next',
        version: '16.4.6',
        proves: 'the recipe for hot reload, in its dev server',
        run: 'node save.js client.ts node_modules/.bin/next dev --hostname 127.0.0.1 --port',
        prints: '6 saves, 2 polls',
      },
    ],
  },
  {
    // Nuxt 4.5.2 takes Vite 8.4, with which it does not build.
    packages: ['nuxt@4.5.2', 'vite@8.3.8', BROWSER],
    copies: ['rendering/visits', 'rendering/nuxt'],
    files: {
      'app/plugins/lobby.ts': ofSession(IN_DEVELOPMENT, 'defineNuxtPlugin', '../../session'),
      'app/components/Lobby.vue': recipe(STATE, 'triggerRef'),
    },
    consumers: [
      visited(
        'Nuxt',
        '4.5.2',
        `NUXT_TELEMETRY_DISABLED=1 ${NODE_22} node_modules/.bin/nuxt build && node visit.js '/' ${NODE_22} .output/server/index.mjs`,
        '-,Ada',
      ),
    ],
  },
  {
    packages: [
      '@sveltejs/kit@3.2.0',
      '@sveltejs/adapter-node@6.0.1',
      '@sveltejs/vite-plugin-svelte@7.3.1',
      'svelte@5.57.3',
      'vite@8.3.8',
      'typescript@6.0.3',
      BROWSER,
    ],
    copies: ['rendering/visits', 'rendering/sveltekit'],
    files: {
      'src/routes/client.ts': CLIENT,
      'src/routes/Lobby.svelte': recipe(STATE, 'createSubscriber'),
    },
    consumers: [
      visited(
        'SvelteKit',
        '3.2.0',
        `cp session.ts src/routes && ${NODE_22} node_modules/vite/bin/vite.js build --logLevel warn && node visit.js '/' ${NODE_22} build/index.js`,
        '-,Ada',
      ),
    ],
  },
  angular([], 'Node', '20', 'node'),
];

/** Angular's engine on other runtimes. */
export const furtherRendering: readonly Workshop[] = [
  angular(['@deno/linux-x64-glibc@2.9.6'], 'Deno', '2.9.6', DENO),
  angular(['@oven/bun-linux-x64@1.4.5'], 'Bun', '1.4.5', BUN),
];
