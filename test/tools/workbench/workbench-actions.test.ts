import { deepStrictEqual } from 'node:assert';
import { compileFunction } from 'node:vm';
import { createClient } from 'lobby-rx';
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

  for (const name of ['down', 'restart', 'proxy', 'cut', 'limit', 'lose']) {
    it(`can be copied to a test in which a client meets \`break ${name}\` as here`, () => {
      const { actions, control } = stage();
      control.type(`break ${name}`);
      const calls = actions.list[0]!.calls!.join('\n');
      const { scheduler, pass } = virtualTime();
      const emulator = createEmulator({ scheduler });
      const world = seedWorld(emulator);
      const { urls, transport } = emulator;
      const token = world.identityToken;
      const client = createClient({ ...urls, transport, token, scheduler, testing: { random: () => 0.5 } });
      const seenThere: string[] = [];
      client.events.feed.all$.subscribe();
      client.events.feed.signal$.subscribe(signal => {
        if (signal.kind === 'status') seenThere.push(signal.status.state);
        if (signal.kind === 'gap') seenThere.push('gap');
      });
      pass(10_000);
      const before = seenThere.length;
      const setTimeout = (work: () => void, ms: number) => scheduler.schedule(work, ms);
      const test = compileFunction(calls, ['emulator', 'control', 'setTimeout']) as (
        ...given: unknown[]
      ) => void;
      const controlThere = createControl(emulator, world);
      test(emulator, controlThere, setTimeout);
      pass(20_000);
      // A lost index shows with the next event.
      controlThere.type('message Next');
      pass(60_000);
      const seen = seenThere.slice(before).filter((state, i, all) => state !== all[i - 1]);
      deepStrictEqual(seen, name === 'lose' ? ['gap'] : ['retrying', 'live']);
    });
  }

  it('are remembered up to a hundred', () => {
    const { actions, control } = stage();
    for (let i = 0; i < 120; i++) control.type(`message ${i}`);
    deepStrictEqual([actions.list.length, actions.list[0]!.line], [100, 'message 20']);
  });
});
