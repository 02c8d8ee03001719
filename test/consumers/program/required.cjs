const { firstValueFrom, toArray } = require('rxjs');
const { createClient, StatusError } = require('lobby-rx');
const { createEmulator, listen } = require('lobby-rx/emulator');

async function main() {
  const emulator = createEmulator();
  const { identity_id, token } = emulator.addIdentity({ display_name: 'Ada' });
  const group_id = emulator.addGroup();
  emulator.join(group_id, identity_id);
  const server = await listen(emulator);
  const { group } = createClient({ url: server.url, token });
  const [{ identity }] = await firstValueFrom(group.members(group_id).pipe(toArray()));
  await server.close();
  const imported = await import('lobby-rx');
  console.log(
    `${identity.display_name}, ${imported.StatusError === StatusError ? 'one copy' : 'two copies'}`,
  );
}

void main();
