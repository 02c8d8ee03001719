import { deepStrictEqual, strictEqual } from 'node:assert';
import { faultKinds } from 'lobby-rx/emulator';
import { BREAKS, breakNameIn } from '../../../../../src/tools/workbench/breaks.js';
import {
  ACTIONS,
  actionOf,
  BREAK_ACTIONS,
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

  it('are found by their lines, which only the text of a field may follow', () => {
    strictEqual(actionOf('break proxy')?.label, 'Proxy answers 502');
    strictEqual(actionOf('break proxy twice'), undefined);
    strictEqual(actionOf('leave')?.label, 'Leave the group');
    strictEqual(actionOf('message “Hi”')?.label, 'Message');
    strictEqual(actionOf('messages'), undefined);
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
      const { label } = actionOf(`break ${name}`)!;
      strictEqual(faultInWords(name), `the fault “${label}”`);
    }
  });
});
