// NgRx Store: the group and live presence as a feature; provide it with provideState(lobby).
import { createActionGroup, createFeature, createReducer, on, props, type Store } from '@ngrx/store';
import type { Client, GroupMember, IdentityUpdate, Presence, Roster } from 'lobby-rx';
import { map, merge } from 'rxjs';

export const lobbyActions = createActionGroup({
  source: 'lobby-rx',
  events: { 'Roster changed': props<Omit<Roster, 'members'>>(), 'Identity updated': props<IdentityUpdate>() },
});

const byId = (members: readonly GroupMember[]) =>
  Object.fromEntries(members.map(member => [member.identity.identity_id, member]));

export const lobby = createFeature({
  name: 'lobby',
  reducer: createReducer(
    { members: {} as Record<string, GroupMember>, presences: {} as Record<string, Presence> },
    on(lobbyActions.rosterChanged, (state, { joined, left, updated }) => {
      const members = { ...state.members, ...byId(joined), ...byId(updated) };
      for (const { identity } of left) delete members[identity.identity_id];
      return { ...state, members };
    }),
    on(lobbyActions.identityUpdated, (state, { identity: { identity_id, presence } }) =>
      presence ? { ...state, presences: { ...state.presences, [identity_id]: presence } } : state,
    ),
  ),
});

/** Keeps the feature up to date until it is unsubscribed from; in an app, `takeUntilDestroyed()` does that. */
export function follow(store: Store, client: Client, group_id: string) {
  return merge(
    client.group
      .roster(group_id)
      .pipe(map(({ joined, left, updated }) => lobbyActions.rosterChanged({ joined, left, updated }))),
    client.events.feed.identityUpdate$.pipe(
      map(({ identity }) => lobbyActions.identityUpdated({ identity })),
    ),
  ).subscribe(action => store.dispatch(action));
}
