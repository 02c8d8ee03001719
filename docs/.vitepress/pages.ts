import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { renderMermaidSVG } from 'beautiful-mermaid';
import ts from 'typescript';
import type { MarkdownEnv, MarkdownRenderer } from 'vitepress';

const ROOT = join(import.meta.dirname, '../..');

const PAGES: Readonly<Record<string, string>> = {
  'docs/home.md': 'index.md',
  'README.md': 'start.md',
  'docs/index.md': 'guide.md',
};

/**
 * The page that a Markdown file of the repository becomes: `docs/home.md` is the first,
 * `docs/feed.md` is `feed.md`.
 */
export function pageOf(file: string): string {
  if (PAGES[file]) return PAGES[file];
  return file.replace(/^docs\//, '').replace(/^[A-Z]+\.md$/, name => name.toLowerCase());
}

/**
 * The sidebar, in the order of the guide: each of its headings is a group, each item of a list a
 * page.
 */
export function sidebar(): { text: string; items: { text: string; link: string }[] }[] {
  const guide = readFileSync(join(ROOT, 'docs/index.md'), 'utf8');
  const sections = guide.split(/^## /m).slice(1);
  const groups = sections.map(section => ({
    text: section.split('\n', 1)[0]!,
    items: [...section.matchAll(/^- \[(?<text>.+?)\]\((?<file>.+?\.md)\)/gm)].map(({ groups }) => ({
      text: groups!.text!.replaceAll('`', ''),
      link: `/${pageOf(join('docs', groups!.file!))}`,
    })),
  }));
  return groups.filter(({ items }) => items.length > 0);
}

/**
 * The index of the documentation for language models: each page of the guide, with what it answers
 * (https://llmstxt.org).
 */
export function llmsText(description: string): string {
  const guide = readFileSync(join(ROOT, 'docs/index.md'), 'utf8');
  const sections = guide.split(/^(?=## )/m).slice(1);
  const linked = sections.join('').replace(/\]\((.+?)\.md\)/g, (_, file: string) => {
    return `](/${pageOf(join('docs', `${file}.md`)).replace(/md$/, 'html')})`;
  });
  return `# lobby-rx\n\n> ${description}\n\n${linked.trimEnd()}\n`;
}

/** The anchor of a heading as GitHub makes it, so that links work there as well. */
export const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');

/**
 * Makes links between files of the repository links between pages. What is not a page here, such as
 * an example, becomes text.
 */
export function linkPages(md: MarkdownRenderer): void {
  md.core.ruler.push('link-pages', ({ tokens, env }) => {
    const { path, realPath = path } = env as MarkdownEnv;
    for (const { children } of tokens) {
      let isText = false;
      for (const token of children ?? []) {
        const href = token.attrGet('href');
        if (token.type === 'link_open' && href) {
          const [file = '', anchor] = href.split('#');
          const isInRepository = !/^(?:[a-z]+:|\/|$)/.test(file);
          isText = isInRepository && !file.endsWith('.md');
          if (isInRepository && !isText) {
            const page = pageOf(relative(ROOT, join(dirname(realPath), file)));
            token.attrSet('href', `/${page}${anchor ? `#${anchor}` : ''}`);
          }
        }
        if (!isText || (token.type !== 'link_open' && token.type !== 'link_close')) continue;
        isText = token.type === 'link_open';
        Object.assign(token, { type: 'text', content: '' });
      }
    }
  });
}

/** What TypeDoc writes out, where the library says `PayloadsOf<Codecs>`. */
const WRITTEN_OUT = /\\\{ readonly \\\[Kind in [^}]*\}/g;
/** A section that the comments of types name. */
const SECTION = /docs\/the-service\.md, (\d)(?:\.(\d))?/g;

/**
 * Makes the reference easy to read: long types get their names, and the sections of the service
 * links.
 */
export function nameTypes(md: MarkdownRenderer): void {
  md.core.ruler.before('normalize', 'name-types', state => {
    state.src = state.src
      .replace(WRITTEN_OUT, 'PayloadsOf\\<`Codecs`\\>')
      .replace(SECTION, (text, chapter: string, section?: string) => {
        return `[${text}](/endpoints.md#s${chapter}${section === undefined ? '' : `-${section}`})`;
      });
  });
}

/** Whether a page is of the reference, or for those who change the library. */
export const isReference = (path: string): boolean =>
  /^\/?(?:docs\/)?(?:api\/|decisions\/|design\.|tested\.|contributing\.|measured\.)/i.test(path);

/** What people type who look for a page, in a comment of that page. */
const KEYWORDS = /<!-- keywords: (.*?) -->/;

/**
 * The title of a page of the reference with the words of its comment, but not those of its prose.
 * The search leaves out what has a title only, so there is a dash, which is no word.
 */
export function namesIn(html: string, markdown: string): string {
  return `${/<h1[^]*?<\/h1>/.exec(html)?.[0] ?? ''}<p>${KEYWORDS.exec(markdown)?.[1] ?? '–'}</p>`;
}

/**
 * A page for the search, with the words of its comment below its title. The search removes the tags
 * and leaves no space, so that the labels of tabs would be one word, and the language of a block a
 * part of its code.
 */
export const searchedText = (html: string, markdown: string): string =>
  html
    .replace(/<span class="lang">.*?<\/span>|&(?:lt|gt|amp|quot|#\w+);/g, ' ')
    .replaceAll('</label>', '</label> ')
    .replace('</h1>', `</h1><p>${KEYWORDS.exec(markdown)?.[1] ?? ''}</p>`);

/**
 * A word as the search knows it, both in a page and in what people type. A word that is on each page
 * leads to none, and is not stored. The page of the search gets this function as its text.
 */
export const searchTerm = (word: string): string | false =>
  /^.$|^[^a-z\d]*$|^(?:the|and|or|of|to|in|is|it|its|an|as|at|by|on|if|so|no|not|for|from|with|that|this|has|have|had|are|was|were|be|one|each|own|which|they|their|them|then|than|only|may|your|same|another|other|all|any|does)$/i.test(
    word,
  )
    ? false
    : word.toLowerCase();

/**
 * What those words are worth more, and what is worth less: the reference, the list of all pages, and
 * what is for those who change the library. A page of the reference is worth more to people who type its name, a function
 * more than the type of the same name.
 */
const WORTH = { keyword: 12, name: 5, type: 3, guide: 0.3, api: 0.2, inside: 0.05 };

/**
 * What a section of a page is worth for a word of a search. The page of the search gets it as its
 * text, so that it has to have all that it needs in it.
 */
export function searchBoost(): (section: string, word: string) => number {
  const guide = readFileSync(join(ROOT, 'docs/index.md'), 'utf8');
  const files = [...guide.matchAll(/\]\((.+?\.md)\)/g)].map(([, file]) => join('docs', file!));
  const words = files.flatMap(file => {
    const found = KEYWORDS.exec(readFileSync(join(ROOT, file), 'utf8'))?.[1]?.toLowerCase();
    const page = `/${pageOf(file).replace(/md$/, 'html')}`;
    return found === undefined ? [] : [[page, found.split(/[\s,.-]+/)] as const];
  });
  const known = { worth: WORTH, words: Object.fromEntries(words) };
  type Known = typeof known;
  const boost = ({ worth, words }: Known, section: string, word: string) => {
    const page = section.split('#')[0]!;
    if (/^\/api\//.test(page)) {
      const [, kind, name = ''] = /([^/]*)\/([^/]*)\.html$/.exec(page) ?? [];
      if (name.toLowerCase() !== word) return worth.api;
      return kind === 'interfaces' || kind === 'type-aliases' ? worth.type : worth.name;
    }
    // Its first section is the one with the words.
    if (words[page]?.includes(word)) return worth.keyword;
    if (/^\/(?:decisions\/|design\.|tested\.|contributing\.|measured\.|changelog\.)/.test(page))
      return worth.inside;
    return page === '/guide.html' ? worth.guide : 1;
  };
  return Object.assign((section: string, word: string) => boost(known, section, word), {
    toString: () => `(section, word) => (${boost.toString()})(${JSON.stringify(known)}, section, word)`,
  });
}

/**
 * Makes blocks of code that follow one another and have titles, as in `ts [Fastify]`, the tabs of
 * one group.
 */
export function groupCode(md: MarkdownRenderer): void {
  md.core.ruler.push('group-code', state => {
    const isTitled = (i: number) => state.tokens[i]?.type === 'fence' && /\[.+\]/.test(state.tokens[i].info);
    const grouped = state.tokens.flatMap((token, i) => {
      if (!isTitled(i) || (!isTitled(i - 1) && !isTitled(i + 1))) return [token];
      const open = isTitled(i - 1) ? [] : [new state.Token('container_code-group_open', 'div', 1)];
      const close = isTitled(i + 1) ? [] : [new state.Token('container_code-group_close', 'div', -1)];
      return [...open, token, ...close];
    });
    state.tokens.splice(0, state.tokens.length, ...grouped);
  });
}

/** How diagrams look: in the colours of the theme, so that they are dark with it. */
const DIAGRAM = {
  bg: 'var(--vp-c-bg)',
  fg: 'var(--vp-c-text-1)',
  muted: 'var(--vp-c-text-1)',
  line: 'var(--vp-c-text-2)',
  accent: 'var(--vp-c-text-2)',
  border: 'var(--vp-c-border)',
  transparent: true,
};

/** Draws a `mermaid` block, so that a page needs no script for it. */
export function drawDiagrams(md: MarkdownRenderer): void {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, i, ...rest) => {
    const { info, content } = tokens[i]!;
    if (info !== 'mermaid') return fence!(tokens, i, ...rest);
    // It would load a font from elsewhere.
    const svg = renderMermaidSVG(content, DIAGRAM).replace(/@import[^;]*;/, '');
    return `<Diagram svg="${encodeURIComponent(svg)}" />`;
  };
}

/** With `once`, nothing can happen to the code: it reads, and ends. */
const RUN = /^<!-- run( once)? -->\s*$/;

/**
 * Puts the block of code after a `<!-- run -->` into a `<RunnableCode>`, with the same code as
 * JavaScript.
 */
export function runCode(md: MarkdownRenderer): void {
  md.core.ruler.push('run-code', state => {
    state.tokens = state.tokens.flatMap((token, i) => {
      const run = RUN.exec(state.tokens[i - 1]?.content ?? '');
      if (token.type !== 'fence' || !run) return [token];
      const { outputText } = ts.transpileModule(token.content, {
        compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
      });
      const open = new state.Token('html_block', '', 0);
      open.content = `<RunnableCode code="${encodeURIComponent(outputText)}" ${run[1] ? 'once' : ''}>\n`;
      const close = new state.Token('html_block', '', 0);
      close.content = '</RunnableCode>\n';
      return [open, token, close];
    });
  });
}

/** Where to begin in the reference. */
const FIRST = [
  'createClient',
  'Client',
  'EventFeed',
  'Roster',
  'backoff',
  'watch',
  'lobbyGate',
  'createEmulator',
];

interface ReferenceItem {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly ReferenceItem[];
}

const pagesIn = (items: readonly ReferenceItem[]): readonly ReferenceItem[] =>
  items.flatMap(item => [item, ...pagesIn(item.items ?? [])]);

/** The sidebar of the reference: where to begin, then each entry of the package, open. */
export function referenceSidebar(all: readonly ReferenceItem[]): readonly ReferenceItem[] {
  const pages = pagesIn(all);
  const first = FIRST.flatMap(name => pages.find(({ text }) => text === name) ?? []);
  return [
    { text: 'Start here', items: first.map(({ text, link }) => ({ text, link })) } as ReferenceItem,
    ...all.map(entry => ({ ...entry, collapsed: false })),
  ];
}

/** Links each name of the library in a snippet to its page of the reference. */
export function linkNames(all: readonly ReferenceItem[]): (md: MarkdownRenderer) => void {
  const links = new Map<string, string>();
  for (const { text, link } of pagesIn(all)) if (link && !links.has(text)) links.set(text, link);
  return md => {
    const { fence } = md.renderer.rules;
    md.renderer.rules.fence = (tokens, i, options, env: MarkdownEnv, self) => {
      const html = fence!(tokens, i, options, env, self);
      if (isReference(env.relativePath) || !/^tsx?\b/.test(tokens[i]!.info)) return html;
      return html.replace(
        /(<span style="[^"]*">\s*)(\w+)(?=\s*<\/span>)/g,
        (text, span: string, name: string) => {
          const link = links.get(name);
          return link === undefined ? text : `${span}<a href="${link.replace(/\.md$/, '.html')}">${name}</a>`;
        },
      );
    };
  };
}
