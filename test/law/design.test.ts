import { deepStrictEqual, ok } from 'node:assert';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesUnder } from '../files-under.js';
import { LAYER, FRAGMENT, FULLEST_FOLDER, LONGEST_FILE, PACKAGES } from './modules.js';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/design.md'), 'utf8');
const tested = readFileSync(join(ROOT, 'docs/tested.md'), 'utf8');

/** The text under a heading, up to the next one of its level. */
function section(heading: string): string {
  const found = page.split(/^## /m).find(text => text.startsWith(`${heading}\n`));
  ok(found, `there is no section '${heading}'`);
  return found;
}

/**
 * The rows of the tables in a text, without the header rows: the cells, without the backticks
 * around them.
 */
const rowsIn = (text: string) =>
  [...text.matchAll(/^\|(.*)\|$/gm)]
    .map(([, row]) => row!.split('|').map(cell => cell.trim().replace(/^`([^`]*)`$/, '$1')))
    .filter(([first], i, rows) => !first!.startsWith('-') && !rows[i + 1]?.[0]?.startsWith('-'));

/** Everything in backticks. */
const codesIn = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(match => match[1]!);

/** The tests of each section of docs/tested.md, and their files. */
const tests = tested
  .split(/^## /m)
  .slice(1)
  .map(text => ({
    section: text.split('\n', 1)[0]!,
    tests: rowsIn(text).map(([title, file]) => ({ title: title!, file: file! })),
  }));

const sourceOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The titles of the tests in a file, as Prettier writes them. */
function titlesIn(path: string): readonly string[] {
  const tests = sourceOf(path).matchAll(/\bit\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"([^"\n]*)"|`([^`$]*)`),/g);
  return [...tests].map(([, single, double, template]) =>
    (single ?? double ?? template)!.replace(/\\(.)/g, '$1'),
  );
}

/** The default of an option, as its docstring states it. */
function defaultOf(path: string, config: string, option: string): string | undefined {
  const members = new RegExp(`^export interface ${config}\\b[^{]*\\{\n(.*?)^\\}`, 'ms').exec(
    sourceOf(path),
  )?.[1];
  const docstring = members
    ?.split(new RegExp(`^  readonly ${option}\\??:`, 'm'), 1)[0]!
    .split('/**')
    .at(-1)
    ?.replace(/\n *\* /g, ' ');
  return /Default (\d+(?:,\d{3})*(?: MiB)?)/.exec(docstring ?? '')?.[1];
}

/** Compares a table of constants with the files below a folder. */
function checkConstants(table: string, folder: string): void {
  const rows = rowsIn(table);
  ok(rows.length > 5);
  deepStrictEqual(
    rows.map(([name, , file]) => {
      const text = sourceOf(join(folder, file!));
      const value = new RegExp(`const ${name} = ([\\d._]+);`).exec(text)?.[1];
      return [name, Number(value?.replaceAll('_', ''))];
    }),
    rows.map(([name, value]) => [name, Number(value!.replaceAll(',', ''))]),
  );
}

describe('docs/design.md', () => {
  it('lists the layers and packages of the modules', () => {
    const modules = rowsIn(section('Modules and layers')).map(([layer, module, , packages]) => ({
      module: module!.replace(/\/$/, ''),
      layer: Number(layer),
      packages: codesIn(packages!.includes('`') ? packages! : `\`${packages}\``).filter(name => name !== '–'),
    }));
    deepStrictEqual(Object.fromEntries(modules.map(({ module, layer }) => [module, layer])), LAYER);
    deepStrictEqual(Object.fromEntries(modules.map(({ module, packages }) => [module, packages])), PACKAGES);
  });

  it('shows the layers in its picture', () => {
    const [picture] = /^layer\n[^`]+/m.exec(section('Modules and layers'))!;
    const drawn = [...picture.matchAll(/^ +(\d(?:\.\d)?) +(.*)$/gm)].flatMap(([, layer, names]) =>
      names!.split(/[ ═╗╝║╚]+/).flatMap(name => (name === '' ? [] : [[name, Number(layer)] as const])),
    );
    deepStrictEqual(Object.fromEntries(drawn), LAYER);
  });

  it('states the size limits of files and folders', () => {
    const stated = [...section('One concept a file').matchAll(/(\d+) (lines|files)/g)].map(([, n]) =>
      Number(n),
    );
    deepStrictEqual(stated, [LONGEST_FILE, FRAGMENT, FULLEST_FOLDER]);
  });

  it('names only files and folders that exist', () => {
    const named = codesIn(page).filter(code => /^[\w./-]+(\/|\.(ts|md|json))$/.test(code));
    ok(named.length > 50);
    deepStrictEqual(
      named.filter(path => !['', 'src', 'test'].some(folder => existsSync(join(ROOT, folder, path)))),
      [],
    );
    const links = [...page.matchAll(/\]\(([^)]+)\)/g)].map(match => match[1]!);
    deepStrictEqual(
      links.filter(path => !existsSync(join(ROOT, 'docs', path))),
      [],
    );
  });

  it('names tests that exist, for sections that exist', () => {
    const all = tests.flatMap(({ tests }) => tests);
    ok(all.length > 150);
    const files = new Map(all.map(({ file }) => [file, titlesIn(join('test', file))]));
    deepStrictEqual(
      all.filter(({ title, file }) => !files.get(file)!.includes(title)),
      [],
    );
    deepStrictEqual(
      tests.filter(({ section }) => !page.includes(`# ${section}\n`)),
      [],
    );
  });

  it('numbers the laws, and has a test for each, and for the promises of SECURITY.md', () => {
    const laws = section('The laws of the watch').split(/^### /m).slice(1);
    deepStrictEqual(
      laws.map(law => Number.parseInt(law)),
      laws.map((_, i) => i + 1),
    );
    const known = new Set(tests.filter(({ tests }) => tests.length > 0).map(({ section }) => section));
    deepStrictEqual(
      [...laws.map(law => law.split('\n', 1)[0]!), 'Security'].filter(name => !known.has(name)),
      [],
    );
  });

  it('lists the actual defaults of the options', () => {
    const [options] = section('Defaults').split('These are fixed');
    const rows = rowsIn(options!);
    ok(rows.length > 10);
    deepStrictEqual(
      rows.map(([option, , file]) => {
        const [config, name] = option!.split('.') as [string, string];
        return [option, defaultOf(join('src', file!), config, name)];
      }),
      rows.map(([option, value]) => [option, value]),
    );
  });

  it('lists the actual constants of the code', () => {
    const [, constants] = section('Defaults').split('These are fixed');
    checkConstants(constants!, 'src');
  });
});

describe('docs/gate.md', () => {
  it('lists the actual constants of the gate', () => {
    const [, constants] = sourceOf('docs/gate.md').split('These are fixed');
    checkConstants(constants!.split(/^## /m, 1)[0]!, 'src/integrations/lobby-server');
  });
});

describe('docs/decisions', () => {
  const FOLDER = join(ROOT, 'docs/decisions');
  const pages = filesUnder(FOLDER, '.md').map(path => path.slice(FOLDER.length + 1));

  it('are all in their index, and are short', () => {
    const index = readFileSync(join(FOLDER, 'index.md'), 'utf8');
    const linked = [...index.matchAll(/\]\(([\w.-]+\.md)\)/g)].map(match => match[1]!);
    deepStrictEqual(
      [...linked].sort(),
      pages.filter(name => name !== 'index.md'),
    );
    const lengths = linked.map(name => [
      name,
      readFileSync(join(FOLDER, name), 'utf8').split(/\s+/).filter(Boolean).length,
    ]);
    deepStrictEqual(
      lengths.filter(([, words]) => Number(words) < 100 || Number(words) > 250),
      [],
    );
  });

  it('name only files that exist', () => {
    const missing = pages.flatMap(name =>
      codesIn(readFileSync(join(FOLDER, name), 'utf8'))
        .filter(code => /^[\w.-]+\/[\w./-]+(\/|\.(ts|md|json))$/.test(code))
        .filter(path => !existsSync(join(ROOT, path)))
        .map(path => `${name}: ${path}`),
    );
    deepStrictEqual(missing, []);
  });
});
