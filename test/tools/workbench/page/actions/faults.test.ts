import { deepStrictEqual } from 'node:assert';
import { faultKinds } from 'lobby-rx/emulator';
import { FAULTS } from '../../../../../src/tools/workbench/page/actions/faults.js';

describe('the catalogue of faults', () => {
  it('says of each kind what a client will see', () => {
    deepStrictEqual(Object.keys(FAULTS).sort(), [...faultKinds].sort());
  });
});
