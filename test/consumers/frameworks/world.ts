import { expect, vi } from 'vitest';
import { createClient } from 'lobby-rx';
import { createEmulator } from 'lobby-rx/emulator';

/** A service with a group of Ada, and one of Ada and Linus, and a client of it. */
export function createWorld() {
  const emulator = createEmulator({ collectTime: 0 });
  const ada = emulator.addIdentity({ display_name: 'Ada' });
  const grace = emulator.addIdentity({ display_name: 'Grace' });
  const linus = emulator.addIdentity({ display_name: 'Linus' });
  const groups = [[ada], [ada, linus]].map(members => {
    const group_id = emulator.addGroup();
    for (const { identity_id } of members) emulator.join(group_id, identity_id);
    return group_id;
  });
  const { urls, transport } = emulator;
  return {
    ...{ emulator, ada, grace, groups },
    client: createClient({ ...urls, transport, token: ada.token }),
    polls: () =>
      emulator.requests
        .filter(({ pending }) => pending)
        .map(({ url }) => new URL(url).pathname.split('/').at(-1)),
  };
}

/** A watch ends a second after the last component that shows it. */
const PATIENCE = { timeout: 5_000 };

export const shows = (text: string) =>
  vi.waitFor(() => expect(document.body.textContent).toContain(text), PATIENCE);

/** Takes a component through its life: it shows a group, a change, another group, and nothing is left of it. */
export async function live(
  { emulator, ada, grace, groups, polls }: ReturnType<typeof createWorld>,
  component: { readonly show: (group_id: string) => void; readonly remove: () => void },
): Promise<void> {
  component.show(groups[0]!);
  await shows('Ada');
  await shows('live');
  expect(document.body.textContent).not.toContain('Grace');
  emulator.join(groups[0]!, grace.identity_id);
  await shows('Grace');
  component.show(groups[1]!);
  await shows('Linus');
  expect(document.body.textContent).not.toContain('Grace');
  await vi.waitFor(() => expect(polls().sort()).toEqual(['live', 'members']), PATIENCE);
  emulator.sendLobbyJoin(ada.identity_id, emulator.addLobby().lobby_id);
  await shows('Your lobby: ws');
  component.show('nowhere');
  await shows('Try again');
  emulator.join(emulator.addGroup({ group_id: 'nowhere' }), ada.identity_id);
  document.querySelector('button')!.click();
  await shows('Ada');
  component.show(groups[1]!);
  await shows('Linus');
  emulator.fault({ kind: 'error', status: 404 }, { times: 2, only: ({ url }) => url.includes('/events/') });
  emulator.sendLobbyJoin(ada.identity_id, emulator.addLobby().lobby_id);
  await shows('Try again');
  document.querySelector('button')!.click();
  await vi.waitFor(() => expect(document.querySelector('button')).toBe(null), PATIENCE);
  component.remove();
  await vi.waitFor(() => expect(polls()).toEqual([]), PATIENCE);
}
