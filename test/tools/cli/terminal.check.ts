// In a real pseudo terminal, which `script` makes: it is not installed everywhere, so `npm test`
// does not need it.
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { waitUntil } from '../../wait-until.js';
import { lobbyRx } from './lobby-rx.js';
import { useService } from './service.js';

describe('lobby-rx in a real terminal', () => {
  const service = useService();

  it('does not show the player token that is typed', async () => {
    const { world, env } = service;
    const run = lobbyRx(['connected'], { env: env(world.lobbyToken), terminal: 'real' });
    await run.prints('Player token: ');
    run.process.stdin!.write(`${world.playerToken}\r`);
    const { code, out } = await run.exited;
    strictEqual(code, 0);
    ok(!out.includes(world.playerToken), out);
    match(out, /OK/);
  });

  it('stops at Ctrl-C, also while it asks for the token', async () => {
    const { world, env, hasPendingWatch } = service;
    const watching = lobbyRx(['watch', world.groupId], { env: env(), terminal: 'real' });
    await waitUntil(hasPendingWatch);
    watching.process.stdin!.write('\u0003');
    const asking = lobbyRx(['connected'], { env: env(), terminal: 'real' });
    await asking.prints('Player token: ');
    asking.process.stdin!.write('\u0003');
    deepStrictEqual([(await watching.exited).code, (await asking.exited).code], [0, 130]);
  });
});
