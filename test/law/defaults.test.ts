import { deepStrictEqual } from 'node:assert';
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
const library = modules
  .flatMap(module => filesUnder(join(SRC, module), '.ts'))
  .map(path => ({ path: relative(SRC, path), text: readFileSync(path, 'utf8') }));

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
    const rows = rowsIn(constants).map(([name, value, file]) => ({
      name: name!,
      file: file!,
      value: numberIn(value!),
    }));
    deepStrictEqual(sorted(rows), sorted(constantsOfLibrary()));
  });
});

function constantsOfLibrary(): readonly Constant[] {
  const CONSTANT = /^(?:export )?const ([A-Z][A-Z\d_]*)(?:: [^=]+)? = ([^;]+);/gm;
  const NUMBER = /^[\d._\s*/+-]+$/;
  const NUMBERS = /^\{(?:\s*\w+: [\d._\s*/+-]+,?)+\s*\}$/;
  const found: Constant[] = [];
  for (const { path, text } of library) {
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
