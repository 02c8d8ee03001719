import { deepStrictEqual, ok } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { filesUnder } from '../files-under.js';
import {
  LAYER,
  FRAGMENT,
  FULLEST_FOLDER,
  LONGEST_FILE,
  PACKAGES,
  moduleOf,
  AROUND_LIBRARY,
} from './modules.js';

const SRC = join(import.meta.dirname, '../../src');

/** The modules that a browser loads. */
const BROWSER = [
  'error',
  'protocol',
  'transport',
  'stream',
  'integrations/browser',
  'endpoint',
  'client',
  'index.ts',
  'integrations/angular',
  'integrations/services',
  'integrations/views',
];

/** The part of them that only Node loads. */
const NODE_ONLY = 'transport/node/';

/** Names that say nothing about a module or a file. */
const NAMELESS = /(^|\/)(utils?|common|helpers?|types|constants|core|misc|shared)(\/|\.ts$)/;

interface Source {
  readonly path: string;
  readonly module: string;
  readonly text: string;
  readonly imports: readonly string[];
  /** The names of what it exports, types included. */
  readonly names: readonly string[];
  readonly reexports: boolean;
}

/** What of the library may write to the console. */
const WRITERS = [
  'tools/emulator/listen.ts',
  'stream/failed-acks.ts',
  'integrations/views/state-observable.ts',
];

/**
 * A statement that begins a line, as Prettier writes it. To load a parser takes longer than all of
 * these tests.
 */
const IMPORT = /^(?:import|export) (?:[^;'"]* from )?'([^']+)';$/gm;
const REEXPORT = /^export [^;'"]* from '/m;
const EXPORTED =
  /^export (?:abstract |async )*(?:const|let|class|function\*?|interface|type|enum) ([\w$]+)/gm;

function read(file: string): Source {
  const path = relative(SRC, file);
  const text = readFileSync(file, 'utf8');
  return {
    path,
    module: moduleOf(path),
    text,
    imports: [...text.matchAll(IMPORT)].map(match => match[1]!),
    names: [...text.matchAll(EXPORTED)].map(match => match[1]!),
    reexports: REEXPORT.test(text),
  };
}

const paths = [...filesUnder(SRC, '.ts'), ...filesUnder(SRC, '.tsx')];
const sources = paths.map(read);
const faults = (find: (source: Source) => readonly string[]) =>
  sources.flatMap(source => find(source).map(fault => `${source.path}: ${fault}`));

/** The file that an import leads to, as a path below `src`; undefined if it leads to a package. */
const targetOf = (path: string, name: string) =>
  name.startsWith('.') ? sourceOf(join(SRC, path, '..', name)) : undefined;
const sourceOf = (file: string) => {
  const isJsx = paths.includes(file.replace(/\.js$/, '.tsx'));
  return relative(SRC, file).replace(/\.js$/, isJsx ? '.tsx' : '.ts');
};

/** How many lines a file has without comments, imports and blank lines. */
const linesOfCode = (text: string) =>
  text
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/^import [^]*?;$/gm, '')
    .split('\n')
    .filter(line => !/^\s*(\/\/.*)?$/.test(line)).length;

/** The files that each file imports. */
const graph = new Map(
  sources.map(({ path, imports }) => [
    path,
    imports.map(name => targetOf(path, name)).filter(target => target !== undefined),
  ]),
);

/** What a module, or the package, is entered by. */
const isIndex = (path: string) => /(^|\/)index\.ts$/.test(path) || path === 'codecs.ts';
const folderOf = (path: string) => path.split('/').slice(0, -1).join('/');

/** A name in small letters, in the singular: `WatchLaws` and `next-turn.ts` have the same words. */
const wordsOf = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map(word => word.replace(/ies$/, 'y').replace(/s$/, ''));

describe('the source', () => {
  it('has a layer for every module', () => {
    deepStrictEqual(
      [...new Set(sources.map(({ module }) => module))].filter(module => !(module in LAYER)),
      [],
    );
  });

  it('imports only from lower layers, through the index files of modules and sub-modules', () => {
    const wrong = faults(({ path, module, imports }) =>
      imports.flatMap(name => {
        const target = targetOf(path, name);
        if (target === undefined) return [];
        const other = moduleOf(target);
        if (other !== module && !(LAYER[other]! < LAYER[module]!)) return [`imports ${target}`];
        // In the same folder, or in one above it: everything else has an index file.
        const isNear =
          folderOf(path) === folderOf(target) || folderOf(path).startsWith(`${folderOf(target)}/`);
        return isNear || isIndex(target) ? [] : [`bypasses an index file: ${target}`];
      }),
    );
    deepStrictEqual(wrong, []);
  });

  it('has a library that imports nothing around it, and integrations that import no tools', () => {
    const partOf = (path: string) => AROUND_LIBRARY.find(part => path.startsWith(`${part}/`)) ?? 'library';
    const leansOn: Readonly<Record<string, readonly string[]>> = {
      library: ['library'],
      integrations: ['library', 'integrations'],
      tools: ['library', 'integrations', 'tools'],
    };
    const wrong = faults(({ path }) =>
      graph.get(path)!.filter(target => !leansOn[partOf(path)]!.includes(partOf(target))),
    );
    deepStrictEqual(wrong, []);
  });

  it('imports from another module only through its outermost index file', () => {
    const wrong = faults(({ path, module, imports }) =>
      imports.flatMap(name => {
        const target = targetOf(path, name);
        if (target === undefined || moduleOf(target) === module) return [];
        // Which is an entry of the package by itself.
        if (target === `${NODE_ONLY}index.ts`) return [];
        return target === `${moduleOf(target)}/index.ts`
          ? []
          : [`bypasses the index file of a module: ${target}`];
      }),
    );
    deepStrictEqual(wrong, []);
  });

  it('has no cycles, types included', () => {
    const done = new Set<string>();
    const walk = (path: string, trail: readonly string[]): string | undefined => {
      if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path].join(' -> ');
      if (done.has(path)) return undefined;
      for (const next of graph.get(path) ?? []) {
        const cycle = walk(next, [...trail, path]);
        if (cycle !== undefined) return cycle;
      }
      done.add(path);
      return undefined;
    };
    deepStrictEqual(
      sources.map(({ path }) => walk(path, [])).filter(cycle => cycle !== undefined),
      [],
    );
  });

  it('uses only the allowed packages in each module', () => {
    const wrong = faults(({ module, imports }) =>
      imports.filter(name => !name.startsWith('.') && !PACKAGES[module]?.includes(name)),
    );
    deepStrictEqual(wrong, []);
  });

  it('keeps cross-fetch and node: out of what a browser loads', () => {
    const wrong = faults(({ path, module, imports }) =>
      BROWSER.includes(module) && !path.startsWith(NODE_ONLY)
        ? imports.filter(
            name => name.startsWith('node:') || name === 'cross-fetch' || name.includes('/node/'),
          )
        : [],
    );
    deepStrictEqual(wrong, []);
  });

  it('has files named after what they export', () => {
    const wrong = faults(({ path, names }) => {
      const file = path.split('/').at(-1)!;
      if (isIndex(path) || /^main\.tsx?$/.test(file)) return [];
      const exported = names.flatMap(wordsOf);
      const missing = wordsOf(file.replace(/\.tsx?$/, '')).filter(word => !exported.includes(word));
      return missing.length > 0 ? [`exports ${names.join(', ')}, nothing about ${missing.join(', ')}`] : [];
    });
    deepStrictEqual(wrong, []);
  });

  it('has one concept per file: none is too long to read, none is a fragment of another', () => {
    const importers = (path: string) => sources.filter(source => graph.get(source.path)!.includes(path));
    const wrong = faults(({ path, text }) => {
      const lines = text.split('\n').length - 1;
      const code = linesOfCode(text);
      if (code > LONGEST_FILE) return [`${code} lines of code`];
      // A file that a condition of package.json chooses is not imported by its name.
      const isChosen = path.includes('platform-fetch');
      const [only, ...others] = importers(path);
      // What a module exports through its index file has more readers than that.
      const isFragment =
        lines < FRAGMENT && !isChosen && !isIndex(path) && only && others.length === 0 && !isIndex(only.path);
      return isFragment ? [`a fragment of ${only.path}`] : [];
    });
    deepStrictEqual(wrong, []);
  });

  it('has at most fifteen files and an index file in each folder', () => {
    const inside = sources.filter(({ path }) => !isIndex(path)).map(({ path }) => folderOf(path));
    const folders = [...new Set(inside)];
    const full = folders.filter(folder => inside.filter(other => other === folder).length > FULLEST_FOLDER);
    deepStrictEqual(full, []);
    // What is started, not imported, has no index file.
    const hasIndex = (folder: string) => sources.some(({ path }) => path === join(folder, 'index.ts'));
    deepStrictEqual(
      folders.filter(folder => !hasIndex(folder)),
      ['tools/cli', 'tools/workbench/page'],
    );
  });

  it('re-exports only in index files, one name at a time', () => {
    deepStrictEqual(
      faults(({ path, reexports }) => (reexports && !isIndex(path) ? ['re-exports'] : [])),
      [],
    );
    deepStrictEqual(
      faults(({ text }) => (/^export \*/m.test(text) ? ['export *'] : [])),
      [],
    );
  });

  it('has no meaningless names', () => {
    deepStrictEqual(
      faults(({ path }) => (NAMELESS.test(path) ? ['says nothing'] : [])),
      [],
    );
  });

  it('writes to the console only in the command line, where the server of an emulator or ack fails, and at a state without a page', () => {
    deepStrictEqual(
      faults(({ path, module, text }) =>
        module !== 'tools/cli' && !WRITERS.includes(path) && /^(?! *\*).*console\./m.test(text)
          ? ['console']
          : [],
      ),
      [],
    );
  });

  it('is covered by these checks', () => {
    ok(sources.length > 100);
    // What they could not read, they would not check.
    deepStrictEqual(
      faults(({ text, imports }) =>
        (text.match(/^(?! *\*).*\bfrom '/gm)?.length ?? 0) > imports.length ? ['an import'] : [],
      ),
      [],
    );
    deepStrictEqual(
      faults(({ names, reexports, path }) =>
        names.length > 0 || reexports || /main\.tsx?$/.test(path) ? [] : ['no export'],
      ),
      [],
    );
  });
});
