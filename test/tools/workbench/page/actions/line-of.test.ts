import { strictEqual } from 'node:assert';
import {
  PLAYER_ACTIONS,
  type CommandAction,
} from '../../../../../src/tools/workbench/page/actions/actions.js';
import { lineOf } from '../../../../../src/tools/workbench/page/actions/line-of.js';

describe('the line of an action', () => {
  const field = { label: 'Text' };
  const ME = 'id-of-me';

  it('has the text of its field in quotes', () => {
    const line = lineOf({ label: 'x', line: 'join', field }, 'Ada "the \\first"', 'b', ME);
    strictEqual(line, 'join "Ada \\"the \\\\first\\""');
  });

  it('has no text if the field is empty, or if the action has none', () => {
    strictEqual(lineOf({ label: 'x', line: 'join', field }, '', 'b', ME), 'join');
    strictEqual(lineOf({ label: 'x', line: 'break cut' }, 'left over', 'b', ME), 'break cut');
  });

  it('names the player, except whom the terminal means anyway', () => {
    const lineFor = (label: string, target: string) => {
      const action = PLAYER_ACTIONS.find(known => known.label === label) as CommandAction;
      return lineOf(action, '', target, ME);
    };
    strictEqual(lineFor('Away', 'b'), 'presence away who=b');
    strictEqual(lineFor('Away', ME), 'presence away');
    // The terminal means the last who joined.
    strictEqual(lineFor('Leave the group', ME), `leave who=${ME}`);
  });
});
