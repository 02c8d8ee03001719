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
        ...{ name: 'esbuild', version: '0.28.2', proves: 'a bundle for browsers' },
        run: 'esbuild page.js --bundle --minify --log-level=warning --outfile=out/page.js && node in-page.js out/page.js',
        prints: IN_PAGE,
      },
      {
        ...{ name: 'esbuild', version: '0.28.2', proves: 'a bundle for Node, CommonJS' },
        run: `${NODE} --format=cjs --outfile=out/main.cjs && node out/main.cjs`,
        prints: ANSWER,
      },
      {
        ...{ name: 'esbuild', version: '0.28.2', proves: 'a bundle for Node, ESM, with the banner' },
        run: 'node with-banner.js && node out/main.mjs',
        prints: ANSWER,
      },
      {
        ...{ name: 'esbuild', version: '0.28.2', proves: 'a bundle for Node, ESM, cross-fetch external' },
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
        ...{ name: 'Vite', version: '8.3.8', proves: 'a build for browsers' },
        run: 'vite build --logLevel warn && node in-page.js dist/assets/index-*.js',
        prints: IN_PAGE,
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
        import resolve from '@rollup/plugin-node-resolve';
        import commonjs from '@rollup/plugin-commonjs';
        import json from '@rollup/plugin-json';
        import { builtinModules } from 'node:module';
        const external = [...builtinModules, /^node:/];
        export default [
          { input: 'page.js', output: { file: 'out/page.js', format: 'iife' }, plugins: [resolve({ browser: true }), commonjs(), json()] },
          { input: 'main.js', output: { dir: 'out', format: 'esm' }, external,
            plugins: [resolve({ exportConditions: ['node'], preferBuiltins: true }), commonjs(), json()] },
        ];`,
    },
    consumers: [
      {
        ...{ name: 'Rollup', version: '4.68.7', proves: 'a bundle for browsers' },
        run: 'rollup -c --silent && node in-page.js out/page.js',
        prints: IN_PAGE,
      },
      {
        ...{ name: 'Rollup', version: '4.68.7', proves: 'a bundle for Node, ESM' },
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
        ...{ name: 'webpack', version: '5.112.2', proves: 'a bundle for browsers' },
        run: 'webpack && node in-page.js dist/page.js',
        prints: IN_PAGE,
      },
      {
        ...{ name: 'webpack', version: '5.112.2', proves: 'a bundle for Node' },
        run: 'node dist/main.cjs',
        prints: ANSWER,
      },
    ],
  },
];
