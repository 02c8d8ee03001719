import { deepStrictEqual, ok } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runInNewContext } from 'node:vm';
import { filesUnder } from '../files-under.js';
import { rowsIn, sectionOfDesign } from './design-page.js';
import { AROUND_LIBRARY, LAYER } from './modules.js';
import { observedDefaults } from './observed-defaults.js';

const SRC = join(import.meta.dirname, '../../src');

const modules = Object.keys(LAYER).filter(
  name => !name.endsWith('.ts') && !AROUND_LIBRARY.some(part => name.startsWith(`${part}/`)),
);
const library = modules.flatMap(module => sourcesIn(module));
const GATE = 'integrations/lobby-server';

/** A source file. Its path is below `src`. */
interface Source {
  readonly path: string;
  readonly text: string;
}

function sourcesIn(folder: string): readonly Source[] {
  return filesUnder(join(SRC, folder), '.ts').map(path => ({
    path: relative(SRC, path),
    text: readFileSync(path, 'utf8'),
  }));
}

const [defaults, constants] = sectionOfDesign('Defaults').split('These are all constants') as [
  string,
  string,
];

/** The number that a cell of a table says: `1,000`, `8 MiB` or `1/4`. */
function numberIn(cell: string): number {
  const [, digits, isMebi, divisor = '1'] = /^([\d,]+)(?:( MiB)|\/(\d+))?$/.exec(cell) ?? [];
  const number = Number(digits?.replaceAll(',', '')) / Number(divisor);
  return isMebi ? number * 2 ** 20 : number;
}

describe('The defaults in docs/design.md', () => {
  const rows = rowsIn(defaults).map(([option, value, file]) => ({
    option: option!,
    value: value!,
    file: file!,
  }));

  it('are those by which the library behaves', () => {
    const values = rows.map(({ option, value }) => [option, numberIn(value)]);
    deepStrictEqual(Object.fromEntries(values), observedDefaults());
  });

  it('are those of all docstrings that state a number', () => {
    const values = rows.map(({ option, value }) => [option, value]);
    deepStrictEqual(Object.fromEntries(values), documentedDefaults());
  });

  it('are set in the files that the table names', () => {
    const elsewhere = rows.filter(({ option, file }) => {
      const [, name] = option.split('.');
      const setting = new RegExp(`\\b${name}(?: =|:) (?:[\\d_]+|[A-Z_]+)[, ]`);
      return !setting.test(readFileSync(join(SRC, file), 'utf8'));
    });
    deepStrictEqual(elsewhere, []);
  });
});

/** The defaults that docstrings of configs state, by the names of the options. */
function documentedDefaults(): Readonly<Record<string, string>> {
  const CONFIG = /^export interface (\w+Config)\b[^{]*\{\n(.*?)^\}/gms;
  const OPTION = /\/\*\*((?:(?!\*\/).)*)\*\/\s+readonly (\w+)/gs;
  const VALUE = /Default (\d+(?:,\d{3})*(?: MiB)?)/;
  const stated: Record<string, string> = {};
  for (const { text } of library) {
    for (const [, config, options] of text.matchAll(CONFIG)) {
      for (const [, docstring, option] of options!.matchAll(OPTION)) {
        const value = VALUE.exec(docstring!.replace(/\n *\* /g, ' '))?.[1];
        if (value !== undefined) stated[`${config}.${option}`] = value;
      }
    }
  }
  return stated;
}

/** A constant that is a number, or a time in a constant that is an object of times. */
interface Constant {
  readonly name: string;
  readonly file: string;
  readonly value: unknown;
}

describe('The constants in docs/design.md', () => {
  it('are all constants of the library that are numbers', () => {
    deepStrictEqual(sorted(constantsInTable(constants)), sorted(constantsIn(library)));
  });
});

describe('The constants in docs/gate.md', () => {
  it('are those of the gate', () => {
    const page = readFileSync(join(SRC, '../docs/gate.md'), 'utf8');
    const [, section] = page.split('These are fixed');
    const rows = constantsInTable(section!.split(/^## /m, 1)[0]!, GATE);
    ok(rows.length > 10);
    const listed = new Set(rows.map(({ name }) => name));
    const actual = constantsIn(sourcesIn(GATE)).filter(({ name }) => listed.has(name));
    deepStrictEqual(sorted(rows), sorted(actual));
  });
});

/** The rows of a table of constants, whose files are below a folder of `src`. */
function constantsInTable(table: string, folder = ''): readonly Constant[] {
  return rowsIn(table).map(([name, value, file]) => ({
    name: name!,
    file: join(folder, file!),
    value: numberIn(value!),
  }));
}

function constantsIn(sources: readonly Source[]): readonly Constant[] {
  const CONSTANT = /^(?:export )?const ([A-Z][A-Z\d_]*)(?:: [^=]+)? = ([^;]+);/gm;
  const NUMBER = /^[\d._\s*/+-]+$/;
  const NUMBERS = /^\{(?:\s*\w+: [\d._\s*/+-]+,?)+\s*\}$/;
  const found: Constant[] = [];
  for (const { path, text } of sources) {
    for (const [, name, expression] of text.matchAll(CONSTANT)) {
      if (NUMBER.test(expression!)) found.push({ name: name!, file: path, value: evaluated(expression!) });
      if (!name!.endsWith('_MS') || !NUMBERS.test(expression!)) continue;
      for (const [part, value] of Object.entries(evaluated(expression!) as object))
        found.push({ name: `${name}.${part}`, file: path, value });
    }
  }
  return found;
}

function evaluated(expression: string): unknown {
  return runInNewContext(`(${expression})`);
}

function sorted(list: readonly Constant[]): readonly Constant[] {
  const keyOf = ({ file, name }: Constant) => `${file} ${name}`;
  return [...list].sort((a, b) => keyOf(a).localeCompare(keyOf(b)));
}
