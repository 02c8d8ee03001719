import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { buildApplications } from './applications/build.js';
import apiSidebar from '../api/typedoc-sidebar.json' with { type: 'json' };
import {
  anchorOf,
  drawDiagrams,
  groupCode,
  isReference,
  linkNames,
  linkPages,
  llmsText,
  namesIn,
  nameTypes,
  pageOf,
  referenceSidebar,
  runCode,
  searchBoost,
  searchedText,
  searchTerm,
  sidebar,
} from './pages.js';

const ROOT = join(import.meta.dirname, '../..');
const DESCRIPTION = 'RxJS streams for lobbies, groups and the live events of an identity';
const { version, repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string;
  /** The address of the source. The package has none yet. */
  readonly repository?: { readonly url: string };
};
/** A marble on its line. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M1 16h30" stroke="#8c959f" stroke-width="3"/><circle cx="16" cy="16" r="9" fill="#3451b2"/></svg>',
)}`;

export default defineConfig({
  title: 'lobby-rx',
  description: DESCRIPTION,
  head: [
    ['link', { rel: 'icon', href: ICON }],
    ['meta', { property: 'og:type', content: 'website' }],
    ['meta', { property: 'og:title', content: 'lobby-rx' }],
    ['meta', { property: 'og:description', content: DESCRIPTION }],
  ],
  // README and its neighbours are pages, too.
  srcDir: '..',
  srcExclude: ['{bench,coverage,dist,examples,findings,node_modules,src,test}/**', 'docs/node_modules/**'],
  rewrites: pageOf,
  // From git: a checkout without its history shows none.
  lastUpdated: true,
  buildEnd: async ({ outDir }) => {
    writeFileSync(join(outDir, 'llms.txt'), llmsText(DESCRIPTION));
    await buildApplications(join(outDir, 'applications'));
  },
  themeConfig: {
    ...(repository && {
      editLink: { pattern: `${repository.url.replace(/^git\+|\.git$/g, '')}/edit/main/:path` },
    }),
    nav: [
      { text: 'Guide', link: '/guide' },
      { text: 'API', link: '/api/' },
      {
        text: 'Try it',
        // No pages of this site: the browser has to load them.
        items: ['Angular', 'React'].map(text => ({
          text,
          link: `/applications/${text.toLowerCase()}.html`,
          target: '_self',
        })),
      },
      { text: version, link: '/changelog' },
    ],
    sidebar: { '/api/': [...referenceSidebar(apiSidebar)], '/': sidebar() },
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        // Only the names of reference pages: people look for what to do first.
        _render: (src, env, md) => {
          const html = md.render(src, env);
          return isReference(env.relativePath) ? namesIn(html, src) : searchedText(html, src);
        },
        miniSearch: { options: { processTerm: searchTerm }, searchOptions: { boostDocument: searchBoost() } },
      },
    },
  },
  // Pages outside of docs/ would look for Vue in the library's own packages.
  vue: { template: { compilerOptions: { isCustomElement: tag => tag === 'lobby-marbles' } } },
  vite: {
    // What runs in a page is the library as it is here.
    resolve: {
      alias: [
        { find: /^lobby-rx$/, replacement: join(ROOT, 'src/index.ts') },
        { find: /^lobby-rx\/(emulator|marbles)$/, replacement: join(ROOT, 'src/tools/$1/index.ts') },
        { find: '#fetch', replacement: join(ROOT, 'src/transport/platform-fetch.ts') },
        { find: '#fp-ts', replacement: 'fp-ts/es6' },
      ],
    },
    build: { chunkSizeWarningLimit: 4_000 },
    plugins: [
      {
        name: 'vue-of-docs',
        resolveId(id) {
          if (id !== 'vue' && id !== 'vue/server-renderer') return undefined;
          return this.resolve(id, join(import.meta.dirname, 'config.ts'), { skipSelf: true });
        },
      },
    ],
  },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    languageAlias: { haproxy: 'nginx' },
    anchor: { slugify: anchorOf },
    config: md => {
      for (const plugin of [nameTypes, linkPages, groupCode, drawDiagrams, linkNames(apiSidebar), runCode])
        plugin(md);
    },
  },
});
