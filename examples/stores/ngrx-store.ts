// NgRx Store: the group and live presence as a feature; provide it with provideState(lobby).
import { createActionGroup, createFeature, createReducer, on, props, type Store } from '@ngrx/store';
import type { Client, GroupMember, IdentityUpdate, Presence } from 'lobby-rx';
import { map, merge } from 'rxjs';

export const lobbyActions = createActionGroup({
  source: 'lobby-rx',
  events: {
    'Roster changed': props<{ members: Record<string, GroupMember> }>(),
    'Identity updated': props<IdentityUpdate>(),
  },
});

export const lobby = createFeature({
  name: 'lobby',
  reducer: createReducer(
    { members: {} as Record<string, GroupMember>, presences: {} as Record<string, Presence> },
    on(lobbyActions.rosterChanged, (state, { members }) => ({ ...state, members })),
    on(lobbyActions.identityUpdated, (state, { identity: { identity_id, presence } }) =>
      presence ? { ...state, presences: { ...state.presences, [identity_id]: presence } } : state,
    ),
  ),
});

/**
 * Keeps the feature up to date until it is unsubscribed from (`destroyRef.onDestroy`). `onError`
 * gets the final error.
 */
export function follow(store: Store, client: Client, group_id: string, onError: (error: unknown) => void) {
  return merge(
    client.group
      .roster(group_id)
      .pipe(map(({ members }) => lobbyActions.rosterChanged({ members: Object.fromEntries(members) }))),
    client.events.feed.identityUpdate$.pipe(
      map(({ identity }) => lobbyActions.identityUpdated({ identity })),
    ),
  ).subscribe({ next: action => store.dispatch(action), error: onError });
}
