import { deepStrictEqual, strictEqual } from 'node:assert';
import { faultKinds } from 'lobby-rx/emulator';
import { BREAKS, breakNameIn } from '../../../../../src/tools/workbench/breaks.js';
import {
  ACTIONS,
  BREAK_ACTIONS,
  breakActionOf,
  faultInWords,
} from '../../../../../src/tools/workbench/page/actions/actions.js';

describe('the actions of the workbench', () => {
  it('break what has an entry in `BREAKS`, and nothing of `BREAKS` is without its action', () => {
    const names = BREAK_ACTIONS.map(({ line }) => breakNameIn(line)).filter(name => name !== undefined);
    deepStrictEqual(names.sort(), Object.keys(BREAKS).sort());
  });

  it('have each its own label, by which the bar knows them', () => {
    const labels = ACTIONS.flatMap(({ actions }) => actions).map(({ label }) => label);
    strictEqual(new Set(labels).size, labels.length);
  });

  it('are found by a line that breaks something, but by no other line', () => {
    strictEqual(breakActionOf('break proxy')?.label, 'Proxy answers 502');
    strictEqual(breakActionOf('break proxy twice'), undefined);
    strictEqual(breakActionOf('leave'), undefined);
  });

  it('say each fault in words, the same as their buttons', () => {
    const said = [...Object.keys(BREAKS), ...faultKinds].map(name => faultInWords(name));
    deepStrictEqual(
      said.filter(words => words.includes('_') || words.includes('undefined')),
      [],
    );
    strictEqual(faultInWords('proxy'), 'the fault “Proxy answers 502”');
    strictEqual(faultInWords('stall_in_body'), 'the fault “stall in body”');
    for (const name of Object.keys(BREAKS)) {
      const { label } = breakActionOf(`break ${name}`)!;
      strictEqual(faultInWords(name), `the fault “${label}”`);
    }
  });
});
