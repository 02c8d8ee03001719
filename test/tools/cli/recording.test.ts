import { match, ok, strictEqual } from 'node:assert';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '../../wait-until.js';
import { called } from './called.js';
import { lobbyRx } from './lobby-rx.js';
import { useService } from './service.js';

describe('lobby-rx events --record and emulate --replay', () => {
  const service = useService();

  it('write what a service says without tokens, and say it again', async () => {
    const { emulator, world, env, folder } = service;
    const file = join(folder, 'bug.ndjson');
    const recording = lobbyRx(['events', '--record', file, '--kind', 'unknown'], { env: env() });
    await waitUntil(service.hasPendingWatch);
    emulator.fault({ kind: 'reset_before_headers' });
    emulator.publish(world.identityId, { first: { said: 'Hello' } });
    await recording.prints('first');
    await waitUntil(service.hasPendingWatch);
    emulator.publish(world.identityId, { second: 2 });
    await recording.prints('second');
    recording.process.kill('SIGINT');
    const { code, out, err } = await recording.exited;
    strictEqual(code, 0);
    const recorded = readFileSync(file, 'utf8');
    for (const text of [world.identityToken, world.identityId, 'Hello'])
      ok(!recorded.includes(text), `${text} is in the recording`);
    match(err, /^lobby-rx: recording to .*bug.ndjson: shapes, times and names of fields; no texts, no ids$/m);
    strictEqual(statSync(file).mode & 0o777, 0o600);

    const replaying = lobbyRx(['emulate', '--replay', file, '--json', '--exit-with-stdin'], {
      isOpen: true,
    });
    await replaying.prints('\n');
    const { url } = JSON.parse(replaying.out()) as { url: string };
    const again = lobbyRx(['events', '--kind', 'unknown'], {
      env: { LOBBY_RX_URL: url, LOBBY_RX_TOKEN: 'any' },
    });
    await again.prints('second');
    again.process.kill('SIGINT');
    // What somebody has said is not.
    strictEqual(
      (await again.exited).out,
      out.replace('"said":"Hello"', '"key-1":"text-1"').replace('"payload":2', '"payload":1'),
    );
    replaying.process.stdin!.end();
    strictEqual((await replaying.exited).code, 0);
  });

  it('answer 404 to a request that was not recorded, and say so', async () => {
    const file = join(service.folder, 'empty.ndjson');
    writeFileSync(file, '{"recording":"lobby-rx","version":1}\n');
    const run = lobbyRx(['emulate', '--replay', file]);
    await run.prints('LOBBY_RX_TOKEN=any\n');
    const [, url] = /LOBBY_RX_URL=(\S+)/.exec(run.out())!;
    const response = await fetch(`${url}/v1/anything`);
    strictEqual(response.status, 404);
    match(await response.text(), /the recording has no such request/);
    run.process.kill('SIGTERM');
    match((await run.exited).err, /^lobby-rx: the recording has no such request.*\/v1\/anything/);
  });

  it('go on with the events if nothing more can be recorded, as on a full disk', async () => {
    const { emulator, world, env, folder } = service;
    const args = ['events', '--record', join(folder, 'full.ndjson'), '--kind', 'unknown'];
    // Otherwise, `npm run coverage` would write a file, too.
    const script = 'ulimit -f 0; unset NODE_V8_COVERAGE; exec "$@"';
    const run = lobbyRx(args, { env: env(), script });
    await waitUntil(service.hasPendingWatch);
    emulator.publish(world.identityId, { first: 1 });
    await run.prints('first');
    run.process.kill('SIGINT');
    const { code, err } = await run.exited;
    strictEqual(code, 0);
    strictEqual(err.match(/^lobby-rx: the recording ends here: EFBIG$/gm)?.length, 1, err);
  });

  it('report in one line what is wrong with a file', async () => {
    const file = join(service.folder, 'text');
    writeFileSync(file, 'LOBBY_RX_TOKEN=abcd1234\n');
    for (const [args, message] of [
      [['emulate', '--replay', file], /a recording of withRecording/],
      [['emulate', '--replay', `${file}-missing`], /cannot be read: ENOENT/],
      [['emulate', '--replay', file, '--seed', '3'], /use either --replay, or --seed/],
      [['events', '--record', file], /must be the path of a new file/],
      [['events', '--record', join(file, 'x')], /cannot be created: ENOTDIR/],
      [['events', '--record', ''], /--record must be the path of a new file/],
    ] as const) {
      const { code, err } = await called(args, { LOBBY_RX_URL: service.server.url, LOBBY_RX_TOKEN: 'any' });
      strictEqual(code, 2);
      match(err, message);
      ok(!err.includes('abcd1234'), err);
      strictEqual(err.trim().split('\n').length, 1);
    }
  });
});
