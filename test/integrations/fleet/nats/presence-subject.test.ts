import { deepStrictEqual } from 'node:assert';
import { presenceIn, presenceSubject } from '../../../../src/integrations/fleet/nats/presence-subject.js';
import type { Presence } from '../../../../src/integrations/fleet/worker/index.js';

describe('the subject of a worker that is alive', () => {
  const me: Presence = {
    worker: 'ada',
    capacity: 7,
    trial: undefined,
    addresses: [2 ** 32 - 1, 0],
    given: { count: 3, hash: 40 },
  };

  it('says all that the others need', () => {
    for (const one of [
      me,
      { ...me, addresses: [] },
      { ...me, given: undefined },
      { ...me, given: { count: 0, hash: 0 } },
      { ...me, trial: 4 },
      { ...me, trial: 0 },
    ])
      deepStrictEqual(presenceIn('lobby.alive', presenceSubject('lobby.alive', one)), [one]);
  });

  it('may be made up', () => {
    deepStrictEqual(presenceIn('lobby.alive', 'lobby.alive.worker.eve.0.-.-'), []);
    deepStrictEqual(presenceIn('lobby.alive', 'lobby.alive.worker.eve.x.-.-'), []);
    for (const trial of ['', 'x', '-1', '1e3']) {
      const [eve] = presenceIn('lobby.alive', `lobby.alive.worker.eve.1.-.-.${trial}`);
      deepStrictEqual(eve?.trial, undefined, trial);
    }
    for (const list of ['-', 'x', '7', '7_', '_7', '-1_0', '']) {
      const [eve] = presenceIn('lobby.alive', `lobby.alive.worker.eve.1.-.${list}`);
      deepStrictEqual(eve?.given, undefined, list);
    }
  });
});
