// Zustand: the values that the streams emit are the state.
import { scanState, type Client, type GroupMember, type Profile } from 'lobby-rx';
import { map, merge } from 'rxjs';
import { createStore } from 'zustand/vanilla';

interface Lobby {
  readonly members: ReadonlyMap<string, GroupMember>;
  readonly profiles: ReadonlyMap<string, Profile>;
}

export const createLobbyStore = () => createStore<Lobby>(() => ({ members: new Map(), profiles: new Map() }));

/** Keeps a store up to date until it is unsubscribed from. `onError` gets the final error. */
export function follow(
  store: ReturnType<typeof createLobbyStore>,
  client: Client,
  group_id: string,
  onError: (error: unknown) => void,
) {
  return merge(
    client.group.roster(group_id).pipe(map(({ members }) => ({ members }))),
    client.events.feed.identityUpdate$.pipe(
      scanState(
        (known, { identity }) => new Map(known).set(identity.identity_id, identity),
        new Map<string, Profile>(),
      ),
      map(profiles => ({ profiles })),
    ),
  ).subscribe({ next: change => store.setState(change), error: onError });
}
