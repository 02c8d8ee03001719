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
    emulator,
    ada,
    grace,
    groups,
    // Each wait is as long as it can be: a state that is over sooner may not be seen.
    client: createClient({ ...urls, transport, token: ada.token, testing: { random: () => 0.99 } }),
    polls: () =>
      emulator.requests
        .filter(({ pending }) => pending)
        .map(({ url }) => new URL(url).pathname.split('/').at(-1)),
  };
}

/** A watch ends a second after the last component that shows it. */
const PATIENCE = { timeout: 60_000 };

export const shows = (text: string) =>
  vi.waitFor(() => expect(document.body.textContent).toContain(text), PATIENCE);

/**
 * Takes a component through its life: groups, changes, a lobby join, a gap, what is closed and
 * begun again, a sign-out. Nothing is left of it.
 */
export async function live(
  { emulator, client, ada, grace, groups, polls }: ReturnType<typeof createWorld>,
  component: { readonly show: (group_id: string) => void; readonly remove: () => void },
): Promise<void> {
  component.show(groups[0]!);
  await shows('Ada: offline');
  await shows('live, live');
  expect(document.body.textContent).not.toContain('Grace');
  emulator.join(groups[0]!, grace.identity_id);
  emulator.updatePresence(grace.identity_id, { status: 'online' });
  await shows('Grace: online');
  component.show(groups[1]!);
  await shows('Linus');
  expect(document.body.textContent).not.toContain('Grace');
  await vi.waitFor(() => expect(polls().sort()).toEqual(['live', 'members']), PATIENCE);
  // A lobby join stays until it is dismissed.
  emulator.sendLobbyJoin(ada.identity_id, emulator.addLobby().lobby_id);
  await shows('Your lobby: ws');
  component.show(groups[0]!);
  await shows('Grace');
  await shows('Your lobby: ws');
  await click('Later');
  await showsNot('Your lobby');
  component.show('nowhere');
  await shows('closed, live');
  emulator.join(emulator.addGroup({ group_id: 'nowhere' }), ada.identity_id);
  await click('Try now');
  await shows('Ada');
  component.show(groups[1]!);
  await shows('Linus');
  const isFeed = ({ url }: { readonly url: string }) => url.includes('/events/');
  const change = () => emulator.updatePresence(ada.identity_id, { status: 'away' });
  // A refused index is a gap, which stays until it is dismissed, too.
  emulator.fault({ kind: 'error', status: 404 }, { only: isFeed });
  change();
  await shows('live, retrying');
  await shows('live, live');
  // It is told before the next event.
  await vi.waitFor(() => {
    change();
    expect(document.body.textContent).toContain('Something was missed');
  }, PATIENCE);
  await click('Something was missed');
  await showsNot('Something was missed');
  emulator.fault({ kind: 'error', status: 403 }, { only: isFeed });
  change();
  await shows('live, closed');
  await click('Try now');
  await shows('live, live');
  // A refused token is known to both, and trying again cannot help.
  emulator.fault({ kind: 'unauthorized' }, { only: isFeed });
  change();
  await shows('closed, closed');
  await shows('Sign in again');
  const { length } = emulator.requests;
  client.close();
  await shows('closed, closed');
  await showsNot('Linus');
  component.remove();
  await vi.waitFor(() => expect(polls()).toEqual([]), PATIENCE);
  expect(emulator.requests.length).toBe(length);
}

const showsNot = (text: string) =>
  vi.waitFor(() => expect(document.body.textContent).not.toContain(text), PATIENCE);

async function click(text: string): Promise<void> {
  const isWanted = (button: Element) => button.textContent?.includes(text);
  const button = () => [...document.querySelectorAll('button')].find(isWanted);
  await vi.waitFor(() => expect(button()).toBeTruthy(), PATIENCE);
  button()!.click();
}
