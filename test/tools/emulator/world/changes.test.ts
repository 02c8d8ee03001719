import { deepStrictEqual } from 'node:assert';
import { Changes } from '../../../../src/tools/emulator/world/changes.js';

describe('the changes of a world', () => {
  it('wake only those who wait for them, also if they leave and come back meanwhile', () => {
    const changes = new Changes();
    const woken: string[] = [];
    const again = () => changes.of(['a']).subscribe(() => woken.push('a again'));
    const a = changes.of(['a']).subscribe(() => {
      woken.push('a');
      a.unsubscribe();
      again();
    });
    const both = changes.of(['a', 'b']).subscribe(() => woken.push('both'));
    changes.of(['b']).subscribe(() => woken.push('b'));
    changes.announce('c');
    changes.announce('a');
    changes.announce('b');
    both.unsubscribe();
    changes.announce('a');
    changes.announce('b');
    deepStrictEqual(woken, ['a', 'both', 'both', 'b', 'a again', 'b']);
  });
});
