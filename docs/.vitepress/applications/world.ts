import { createEmulator, seedWorld, simulateActivity } from 'lobby-rx/emulator';

const emulator = createEmulator({ random: Math.random });
const world = seedWorld(emulator, { members: 12 });

/** What the code of the pages has from an application: a service, a group and a player. */
export const { url, transport } = emulator;
export const group_id = world.groupId;
export const session = {
  token: world.identityToken,
  renew: () => Promise.resolve(emulator.renewToken(session.token)),
};

const happenings = {
  'A member joins': () =>
    emulator.join(group_id, emulator.addIdentity({ display_name: 'A new member' }).identity_id),
  'A lobby join': () => emulator.sendLobbyJoin(world.identityId, world.lobbyId),
  'The service fails for a while': () => emulator.fault({ kind: 'error', status: 503 }, { times: 3 }),
};
for (const [name, happen] of Object.entries(happenings)) {
  const button = document.createElement('button');
  button.textContent = name;
  button.onclick = () => void happen();
  document.querySelector('#happenings')!.append(button);
}
simulateActivity(emulator, world, { every: 3_000, activities: ['presence'] }).subscribe();
