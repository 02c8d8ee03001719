import { deepStrictEqual } from 'node:assert';
import { createControl, createEmulator, seedWorld } from 'lobby-rx/emulator';
import { WorkbenchActions } from '../../../src/tools/workbench/workbench-actions.js';
import { virtualTime } from '../../virtual-time.js';

describe('the actions of a workbench', () => {
  const stage = () => {
    const { scheduler, pass } = virtualTime();
    const emulator = createEmulator({ scheduler });
    const world = seedWorld(emulator, { members: 3 });
    const actions = new WorkbenchActions(scheduler);
    const control = actions.observed(createControl(emulator, world), emulator, world.identityId);
    const planned = () => emulator.plannedFaults().map(({ fault }) => fault.kind);
    return { actions, control, pass, planned };
  };

  it('break a service for as long as they say, or until no more faults are wanted', () => {
    const { actions, control, pass, planned } = stage();
    const cut: string[] = [];
    actions.cut$.subscribe(({ name }) => cut.push(name));
    deepStrictEqual(control.type('break down'), { message: 'it lasts 10 s' });
    pass(9_999);
    deepStrictEqual(planned(), ['reset_before_request']);
    pass(1);
    deepStrictEqual(planned(), []);
    control.type('break restart');
    control.type('fault html');
    control.type('fault off');
    deepStrictEqual(planned(), []);
    control.type('break down');
    pass(2_000);
    // That it was restarted before ends nothing of it.
    deepStrictEqual(planned(), ['reset_before_request']);
    deepStrictEqual(cut, ['down', 'restart', 'down']);
    deepStrictEqual(
      actions.list.map(({ line }) => line),
      ['break down', 'break restart', 'fault html', 'fault off', 'break down'],
    );
  });

  it('are remembered up to a hundred', () => {
    const { actions, control } = stage();
    for (let i = 0; i < 120; i++) control.type(`message ${i}`);
    deepStrictEqual([actions.list.length, actions.list[0]!.line], [100, 'message 20']);
  });
});
