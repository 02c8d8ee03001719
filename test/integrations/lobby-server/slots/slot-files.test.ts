import { deepStrictEqual, match, throws } from 'node:assert';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom, lastValueFrom } from 'rxjs';
import { createClient, isInputError } from 'lobby-rx';
import { createEmulator } from 'lobby-rx/emulator';
import { slotFiles } from 'lobby-rx/lobby-server';

describe('slotFiles', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slots-'));
  after(() => rmSync(folder, { recursive: true }));
  const emulator = createEmulator();
  const lobby = emulator.addLobby({ maxPlayers: 10 });
  const { transport } = emulator;
  const client = createClient({ ...emulator.urls, token: lobby.token, transport });

  it('says what to change in its options', () => {
    const bad: readonly [object, RegExp][] = [
      [{ client }, /folder/],
      [{ client, folder: '' }, /folder must be the path of a folder/],
      [{ client: {}, folder }, /client must be a client made by createClient/],
      [{ client, folder, gate: 'a.b' }, /gate must be a name of letters, digits, - and _/],
      [{ client, folder, gates: 2 }, /gates/],
    ];
    for (const [config, message] of bad)
      throws(
        () => slotFiles(config as Parameters<typeof slotFiles>[0]),
        (error: unknown) => {
          match(String(error), message);
          return isInputError(error);
        },
      );
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    throws(() => slotFiles({ client, folder: file }), { code: 'EEXIST' });
    rmSync(file);
  });

  it('keeps a token from before it is confirmed until its slot is free, and none that the service refuses, for its own user only', async () => {
    const slots = slotFiles({ client, folder, gate: 'a' });
    const { connected } = slots.client.matchmaker.players;
    const player_token = emulator.reservePlayer(lobby.lobby_id);
    await firstValueFrom(connected({ player_token }));
    const [name] = readdirSync(folder);
    match(name!, /^[0-9a-f]{64}\.a\.in$/);
    deepStrictEqual(statSync(join(folder, name!)).mode & 0o777, 0o600);
    for (const refused of ['junk', player_token])
      await lastValueFrom(connected({ player_token: refused })).catch(() => undefined);
    deepStrictEqual(readdirSync(folder), [name]);
    await lastValueFrom(slots.freeSlot(player_token));
    deepStrictEqual([readdirSync(folder), emulator.playersIn(lobby.lobby_id).connected], [[], 0]);
  });
});
