// NgRx SignalStore: the group and live profiles as signals, for the lifetime of the injector that
// provides the store.
import { InjectionToken, computed, inject } from '@angular/core';
import { patchState, signalStore, withComputed, withMethods, withState } from '@ngrx/signals';
import { rxMethod } from '@ngrx/signals/rxjs-interop';
import { scanState, type Client, type GroupMember, type Profile } from 'lobby-rx';
import { catchError, map, merge, of, pipe, switchMap, tap } from 'rxjs';

export const CLIENT = new InjectionToken<Client>('lobby-rx');

interface Lobby {
  readonly members: ReadonlyMap<string, GroupMember>;
  readonly profiles: ReadonlyMap<string, Profile>;
  /** The error that ended the streams. */
  readonly error: unknown;
}

export const LobbyStore = signalStore(
  withState<Lobby>({ members: new Map(), profiles: new Map(), error: undefined }),
  withComputed(({ members }) => ({ count: computed(() => members().size) })),
  withMethods((store, { group, events } = inject(CLIENT)) => ({
    /** Follows a group, or whichever group a signal or an Observable names. */
    follow: rxMethod<string>(
      pipe(
        switchMap(group_id =>
          merge(
            group.roster(group_id).pipe(map(({ members }) => ({ members }))),
            events.feed.identityUpdate$.pipe(
              scanState(
                (known, { identity }) => new Map(known).set(identity.identity_id, identity),
                new Map<string, Profile>(),
              ),
              map(profiles => ({ profiles })),
            ),
          ).pipe(catchError((error: unknown) => of({ error }))),
        ),
        tap(change => patchState(store, change)),
      ),
    ),
  })),
);
