// Redux Toolkit: a group in an entity adapter, and live presence beside it.
import { createEntityAdapter, createSlice, type Dispatch, type PayloadAction } from '@reduxjs/toolkit';
import type { Client, GroupMember, IdentityUpdate, Presence, Roster } from 'lobby-rx';
import { map, merge } from 'rxjs';

const idOf = ({ identity }: GroupMember) => identity.identity_id;
export const adapter = createEntityAdapter<GroupMember, string>({ selectId: idOf });

export const lobby = createSlice({
  name: 'lobby',
  initialState: { members: adapter.getInitialState(), presences: {} as Record<string, Presence> },
  reducers: {
    rosterChanged: ({ members }, { payload }: PayloadAction<Omit<Roster, 'members'>>) => {
      adapter.setMany(members, [...payload.joined, ...payload.updated]);
      adapter.removeMany(members, payload.left.map(idOf));
    },
    identityUpdated: ({ presences }, { payload: { identity } }: PayloadAction<IdentityUpdate>) => {
      if (identity.presence) presences[identity.identity_id] = identity.presence;
    },
  },
});

/** Keeps the slice up to date until it is unsubscribed from. */
export function follow(dispatch: Dispatch, client: Client, group_id: string) {
  const { rosterChanged, identityUpdated } = lobby.actions;
  return merge(
    // A store wants plain data: the map stays outside.
    client.group.roster(group_id).pipe(map(({ members: _, ...changes }) => rosterChanged(changes))),
    client.events.feed.identityUpdate$.pipe(map(identityUpdated)),
  ).subscribe(dispatch);
}
