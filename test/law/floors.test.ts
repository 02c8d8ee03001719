import { deepStrictEqual, ok } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { filesUnder } from '../files-under.js';

const SRC = join(import.meta.dirname, '../../src');

/** Which floor each room is on: a room may lean only on rooms of lower floors. */
const FLOOR: Readonly<Record<string, number>> = {
  ...{ protocol: 0, transport: 1, endpoint: 2, stream: 3, client: 4, 'index.ts': 4.5 },
  ...{ emulator: 5, 'lobby-server': 5, cli: 6 },
};

/** Which packages each room may use. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  protocol: ['io-ts', '#fp-ts/Either'],
  transport: ['rxjs', '#fetch', 'cross-fetch', 'node:http', 'node:https'],
  endpoint: ['rxjs', 'io-ts', '#fp-ts/Either'],
  stream: ['rxjs', '#fp-ts/Either'],
  client: ['rxjs'],
  'index.ts': [],
  emulator: ['rxjs', 'node:http', 'node:net'],
  'lobby-server': ['rxjs', 'ws', 'node:http', 'node:stream'],
  cli: ['rxjs', 'node:util', 'node:fs'],
};

/** Rooms that a name says nothing about. */
const NAMELESS = /(^|\/)(utils?|common|helpers?|types|constants|core|misc|shared)(\/|\.ts$)/;

interface Source {
  readonly path: string;
  readonly room: string;
  readonly text: string;
  readonly imports: readonly string[];
  readonly values: readonly string[];
  readonly reexports: boolean;
}

function read(file: string): Source {
  const path = relative(SRC, file);
  const text = readFileSync(file, 'utf8');
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const imports: string[] = [];
  const values: string[] = [];
  let reexports = false;
  tree.forEachChild(node => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      imports.push((node.moduleSpecifier as ts.StringLiteral).text);
      if (ts.isExportDeclaration(node)) reexports = true;
    }
    const isExported =
      ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(m => m.kind === ts.SyntaxKind.ExportKeyword);
    if (!isExported) return;
    if (ts.isVariableStatement(node))
      values.push(...node.declarationList.declarations.map(d => d.name.getText()));
    if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node))
      values.push(node.name?.text ?? 'default');
  });
  return { path, room: path.split('/')[0]!, text, imports, values: [...new Set(values)], reexports };
}

const sources = filesUnder(SRC, '.ts').map(read);
const faults = (find: (source: Source) => readonly string[]) =>
  sources.flatMap(source => find(source).map(fault => `${source.path}: ${fault}`));

const kebab = (name: string) =>
  name.toUpperCase() === name
    ? name.toLowerCase().replaceAll('_', '-')
    : name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();

describe('the house', () => {
  it('has a floor for every room', () => {
    deepStrictEqual(
      [...new Set(sources.map(({ room }) => room))].filter(room => !(room in FLOOR)),
      [],
    );
  });

  it('leans downwards only, through the doors of its rooms', () => {
    const wrong = faults(({ path, room, imports }) =>
      imports
        .filter(name => name.startsWith('.'))
        .flatMap(name => {
          const target = relative(SRC, join(SRC, path, '..', name));
          const other = target.split('/')[0]!;
          if (other === room) return [];
          if (!(FLOOR[other]! < FLOOR[room]!)) return [`leans on ${target}`];
          return /^\w+(-\w+)*\/index\.js$/.test(target) ? [] : [`goes past the door of ${other}: ${target}`];
        }),
    );
    deepStrictEqual(wrong, []);
  });

  it('has no circles, types included', () => {
    const graph = new Map(
      sources.map(({ path, imports }) => [
        path,
        imports
          .filter(name => name.startsWith('.'))
          .map(name => relative(SRC, join(SRC, path, '..', name)).replace(/\.js$/, '.ts')),
      ]),
    );
    const done = new Set<string>();
    const walk = (path: string, way: readonly string[]): string | undefined => {
      if (way.includes(path)) return [...way.slice(way.indexOf(path)), path].join(' -> ');
      if (done.has(path)) return undefined;
      for (const next of graph.get(path) ?? []) {
        const circle = walk(next, [...way, path]);
        if (circle !== undefined) return circle;
      }
      done.add(path);
      return undefined;
    };
    deepStrictEqual(
      sources.map(({ path }) => walk(path, [])).filter(circle => circle !== undefined),
      [],
    );
  });

  it('uses in each room only the packages that belong there', () => {
    const wrong = faults(({ room, imports }) =>
      imports.filter(name => !name.startsWith('.') && !PACKAGES[room]?.includes(name)),
    );
    deepStrictEqual(wrong, []);
  });

  it('keeps cross-fetch and node: out of what a browser loads', () => {
    const wrong = faults(({ path, room, imports }) =>
      FLOOR[room]! < 5 && !path.endsWith('.node.ts')
        ? imports.filter(
            name => name.startsWith('node:') || name === 'cross-fetch' || name.includes('.node.'),
          )
        : [],
    );
    deepStrictEqual(wrong, []);
  });

  it('has one export in a file, and the file is named after it', () => {
    const wrong = faults(({ path, values }) => {
      if (/(^|\/)(index|main)\.ts$/.test(path)) return [];
      const name = path
        .split('/')
        .at(-1)!
        .replace(/(\.node)?\.ts$/, '');
      // What makes a thing may stand beside the thing's own type, in a file named after it.
      const isNamed = values.every(value => kebab(value) === name || kebab(value) === `create-${name}`);
      return values.length > 1 || !isNamed ? [`exports ${values.join(', ')}`] : [];
    });
    deepStrictEqual(wrong, []);
  });

  it('hands names on in index files only, one by one', () => {
    deepStrictEqual(
      faults(({ path, reexports }) => (reexports && !/(^|\/)index\.ts$/.test(path) ? ['re-exports'] : [])),
      [],
    );
    deepStrictEqual(
      faults(({ text }) => (/^export \*/m.test(text) ? ['export *'] : [])),
      [],
    );
  });

  it('has small files, and rooms with real names', () => {
    deepStrictEqual(
      faults(({ text }) => (text.length > 8_000 ? [`${text.length} characters`] : [])),
      [],
    );
    deepStrictEqual(
      faults(({ path }) => (NAMELESS.test(path) ? ['says nothing'] : [])),
      [],
    );
  });

  it('writes to the console in the command line only', () => {
    deepStrictEqual(
      faults(({ room, text }) => (room !== 'cli' && /^(?! *\*).*console\./m.test(text) ? ['console'] : [])),
      [],
    );
  });

  it('is read by these checks', () => ok(sources.length > 100));
});
