import { deepStrictEqual, strictEqual } from 'node:assert';
import { createClient } from 'lobby-rx';
import { createControl, createEmulator, seedWorld } from 'lobby-rx/emulator';
import { createCommands } from '../../../../../src/tools/emulator/control/commands.js';
import { isSent } from '../../../../../src/tools/workbench/page/outcome/index.js';
import {
  actionInWords,
  durationInWords,
  shortIndex,
} from '../../../../../src/tools/workbench/page/stories/words.js';
import { virtualTime } from '../../../../virtual-time.js';
import { action } from '../outcome/seen.js';

/** A line of each command of an emulator. */
const LINES: Readonly<Record<string, string>> = {
  player: 'player',
  lobby: 'lobby',
  join: 'join Bo',
  leave: 'leave',
  presence: 'presence away',
  profile: 'profile Bo',
  message: 'message Hi',
  event: 'event party_invite {}',
  fault: 'fault html',
  'token expire': 'token expire',
  'token renew': 'token renew',
  state: 'state',
};

describe('an action of a workbench, in words', () => {
  const stage = () => {
    const { scheduler, pass } = virtualTime();
    const emulator = createEmulator({ scheduler });
    const world = seedWorld(emulator, { members: 3 });
    return { scheduler, pass, emulator, world, commands: createCommands(emulator, world) };
  };

  it('knows every command', () => {
    deepStrictEqual(Object.keys(LINES).sort(), Object.keys(stage().commands).sort());
  });

  for (const [name, line] of Object.entries(LINES)) {
    it(`has a name if \`${name}\` takes one`, () => {
      const { commands } = stage();
      const hasName = actionInWords(action(0, line), () => 'Ada').endsWith(' for Ada');
      strictEqual(hasName, commands[name]!.takes.includes('who'));
    });

    it(`is a delivery to its own identity if \`${name}\` is one`, () => {
      const { scheduler, pass, emulator, world } = stage();
      const { urls, transport } = emulator;
      const client = createClient({ ...urls, transport, scheduler, token: world.identityToken });
      let received = 0;
      client.events.feed.all$.subscribe({ next: () => received++, error: () => undefined });
      const control = createControl(emulator, world);
      control.type('join Cy');
      pass(1_000);
      received = 0;
      control.type(line);
      pass(5_000);
      // A change of an identity comes as news of that identity, and not as a message to it.
      const isChange = ['presence', 'profile'].includes(name);
      strictEqual(isSent({ line }), received > 0 && !isChange);
    });
  }
});

describe('a line of a workbench, in words', () => {
  it('is what the bar calls it, with the text of its field', () => {
    const said = (line: string) => actionInWords(action(0, line), () => 'Ada');
    strictEqual(said('lobby who=a'), 'Lobby join for Ada');
    strictEqual(said('message "Hi" who=a'), 'Message “Hi” for Ada');
    strictEqual(said('presence away'), 'Away for Ada');
    strictEqual(said('presence busy'), 'presence busy for Ada');
    strictEqual(said('token expire'), 'Expire token for Ada');
    strictEqual(said('break proxy'), 'Proxy answers 502');
    strictEqual(said('fault html x3'), 'fault html x3');
  });
});

describe('an index and a duration, in words', () => {
  it('are its last digits', () => {
    strictEqual(shortIndex('1795873204179'), 'index …4179');
    strictEqual(shortIndex('12345'), 'index …2345');
    strictEqual(shortIndex('12'), 'index …12');
    strictEqual(shortIndex(undefined), 'no index');
  });

  it('are ms below a second, and s above', () => {
    strictEqual(durationInWords(999.4), '999 ms');
    strictEqual(durationInWords(1_260), '1.3 s');
    strictEqual(durationInWords(-3), '0 ms');
  });
});
