import { recipe } from './recipe.js';
import { ANSWER } from './runtimes.js';
import type { Workshop } from './workshop.js';

const IN_PAGE = 'in a page: Ada and Grace';
const NODE = 'esbuild main.js --bundle --platform=node --log-level=warning';
export const bundlers: readonly Workshop[] = [
  {
    packages: ['esbuild@0.28.2'],
    copies: ['program'],
    files: {
      'with-banner.js': `import { build } from 'esbuild';
        ${recipe('docs/transport.md', 'createRequire')}
        await build(options);`,
    },
    consumers: [
      {
        name: 'esbuild',
        version: '0.28.2',
        proves: 'a bundle for browsers',
        run: 'esbuild page.js --bundle --minify --log-level=warning --outfile=out/page.js && node in-page.js out/page.js',
        prints: IN_PAGE,
      },
      {
        name: 'esbuild',
        version: '0.28.2',
        proves: 'a bundle for Node, CommonJS',
        run: `${NODE} --format=cjs --outfile=out/main.cjs && node out/main.cjs`,
        prints: ANSWER,
      },
      {
        name: 'esbuild',
        version: '0.28.2',
        proves: 'a bundle for Node, ESM, with the banner',
        run: 'node with-banner.js && node out/main.mjs',
        prints: ANSWER,
      },
      {
        name: 'esbuild',
        version: '0.28.2',
        proves: 'a bundle for Node, ESM, cross-fetch external',
        run: `${NODE} --format=esm --external:cross-fetch --outfile=out/external.mjs && node out/external.mjs`,
        prints: ANSWER,
      },
    ],
  },
  {
    packages: ['vite@8.3.8'],
    copies: ['program'],
    files: {
      'index.html': '<!doctype html><script type="module" src="./page.js"></script>',
      // A page of its own would need the polyfill; this one runs without a document.
      'vite.config.js': 'export default { build: { modulePreload: { polyfill: false } } };',
    },
    consumers: [
      {
        name: 'Vite',
        version: '8.3.8',
        proves: 'a build for browsers',
        run: 'vite build --logLevel warn && node in-page.js dist/assets/index-*.js',
        prints: IN_PAGE,
      },
    ],
  },
  {
    packages: ['parcel@2.16.1'],
    copies: ['program'],
    files: {
      'setting.json': recipe('docs/where-it-runs.md', 'packageExports'),
      // Parcel reads its settings from where the dependencies are.
      'set.cjs': `
        const { writeFileSync } = require('node:fs');
        writeFileSync('package.json', JSON.stringify({ ...require('./package.json'), ...require('./setting.json') }));`,
    },
    consumers: [
      {
        name: 'Parcel',
        version: '2.16.1',
        proves: 'a build for browsers',
        run: 'node set.cjs && parcel build page.js --dist-dir out --no-source-maps && node in-page.js out/page.js',
        prints: IN_PAGE,
      },
    ],
  },
  {
    packages: [
      'metro@0.84.6',
      ...['metro-config', 'babel-preset'].map(name => `@react-native/${name}@0.83.1`),
    ],
    copies: ['program'],
    files: {
      'babel.config.cjs': "module.exports = { presets: ['@react-native/babel-preset'] };",
      'recipe.js': recipe('docs/state.md', 'AppState'),
      'sign-in.js': 'export const renewToken = () => globalThis.signIn();',
      // What an app has beside lobby-rx, in as far as the recipe needs it: React Native takes 200
      // MB.
      'app/react-native.js': `
        const listeners = new Set();
        export const AppState = {
          currentState: 'active',
          addEventListener: (type, listener) => {
            listeners.add(listener);
            return { remove: () => listeners.delete(listener) };
          },
          to: state => listeners.forEach(listener => listener(state)),
        };`,
      'app/netinfo.js': `
        export default { addEventListener: listener => (listener({ isConnected: true }), () => undefined) };`,
      'app/secure-store.js': `
        const store = new Map();
        export const getItemAsync = async key => store.get(key) ?? null;
        export const setItemAsync = async (key, value) => void store.set(key, value);`,
      'metro.config.cjs': `
        const { getDefaultConfig, mergeConfig } = require('@react-native/metro-config');
        const of = name => require('node:path').join(__dirname, 'app', name);
        module.exports = mergeConfig(getDefaultConfig(__dirname), {
          serializer: { getModulesRunBeforeMainModule: () => [] },
          resolver: {
            extraNodeModules: {
              'react-native': of('react-native.js'),
              '@react-native-community/netinfo': of('netinfo.js'),
              'expo-secure-store': of('secure-store.js'),
            },
          },
        });`,
    },
    consumers: [
      {
        name: 'Metro',
        version: '0.84.6',
        proves: 'the recipe, in a bundle for React Native',
        run: 'metro build native.js --config metro.config.cjs --platform android --out app.js && node in-react-native.js app.js',
        prints: 'in an app: Ada and Grace, and 2 lobbies',
      },
    ],
  },
];

export const furtherBundlers: readonly Workshop[] = [
  {
    packages: [
      'rollup@4.68.7',
      '@rollup/plugin-node-resolve@16.0.3',
      '@rollup/plugin-commonjs@29.0.0',
      '@rollup/plugin-json@6.1.0',
    ],
    copies: ['program'],
    files: {
      'rollup.config.js': `
        import json from '@rollup/plugin-json';
        import { builtinModules } from 'node:module';
        const external = [...builtinModules, /^node:/];
        ${recipe('docs/where-it-runs.md', 'THIS_IS_UNDEFINED').replace('export default', 'const page =')}
        export default [
          page,
          { ...page, input: 'main.js', output: { dir: 'out', format: 'esm' }, external,
            plugins: [resolve({ exportConditions: ['node'], preferBuiltins: true }), commonjs(), json()] },
        ];`,
    },
    consumers: [
      {
        name: 'Rollup',
        version: '4.68.7',
        proves: 'a bundle for browsers',
        run: 'rollup -c --failAfterWarnings && node in-page.js out/page.js',
        prints: IN_PAGE,
      },
      {
        name: 'Rollup',
        version: '4.68.7',
        proves: 'a bundle for Node, ESM',
        run: 'node out/main.js',
        prints: ANSWER,
      },
    ],
  },
  {
    packages: ['webpack@5.112.2', 'webpack-cli@7.3.1'],
    copies: ['program'],
    files: {
      'webpack.config.js': `
        const common = { mode: 'production', performance: { hints: false } };
        export default [
          { ...common, entry: './page.js', output: { filename: 'page.js' } },
          { ...common, entry: './main.js', output: { filename: 'main.cjs' }, target: 'node' },
        ];`,
    },
    consumers: [
      {
        name: 'webpack',
        version: '5.112.2',
        proves: 'a bundle for browsers',
        run: 'webpack && node in-page.js dist/page.js',
        prints: IN_PAGE,
      },
      {
        name: 'webpack',
        version: '5.112.2',
        proves: 'a bundle for Node',
        run: 'node dist/main.cjs',
        prints: ANSWER,
      },
    ],
  },
];
