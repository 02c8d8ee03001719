// Redux Toolkit: a group in an entity adapter, plus live presence.
import { createEntityAdapter, createSlice, type Dispatch, type PayloadAction } from '@reduxjs/toolkit';
import type { Client, GroupMember, IdentityUpdate, Presence } from 'lobby-rx';
import { map, merge } from 'rxjs';

export const adapter = createEntityAdapter<GroupMember, string>({
  selectId: ({ identity }) => identity.identity_id,
});

export const lobby = createSlice({
  name: 'lobby',
  initialState: { members: adapter.getInitialState(), presences: {} as Record<string, Presence> },
  reducers: {
    // Members who have not changed are the same objects as before.
    rosterChanged: ({ members }, { payload }: PayloadAction<readonly GroupMember[]>) => {
      adapter.setAll(members, payload);
    },
    identityUpdated: ({ presences }, { payload: { identity } }: PayloadAction<IdentityUpdate>) => {
      if (identity.presence) presences[identity.identity_id] = identity.presence;
    },
  },
});

/** Keeps the slice up to date until it is unsubscribed from. `onError` gets the final error. */
export function follow(
  dispatch: Dispatch,
  client: Client,
  group_id: string,
  onError: (error: unknown) => void,
) {
  const { rosterChanged, identityUpdated } = lobby.actions;
  return merge(
    client.group.roster(group_id).pipe(map(({ members }) => rosterChanged([...members.values()]))),
    client.events.feed.identityUpdate$.pipe(map(identityUpdated)),
  ).subscribe({ next: dispatch, error: onError });
}
