// NgRx effects: what ngrx-store.ts does by hand, for as long as the application runs; provide them
// with provideEffects.
import { inject, InjectionToken } from '@angular/core';
import { createEffect } from '@ngrx/effects';
import { createAction, props } from '@ngrx/store';
import type { Client } from 'lobby-rx';
import { catchError, map, of } from 'rxjs';
import { lobbyActions } from './ngrx-store.js';

/** With `lobby-rx/angular`, `injectLobbyClient()` is the client. */
export const CLIENT = new InjectionToken<Client>('CLIENT');
export const GROUP_ID = new InjectionToken<string>('GROUP_ID');

/**
 * A stream has ended: the service refuses the token, for example. NgRx would subscribe again at
 * once.
 */
export const lobbyFailed = createAction('[lobby-rx] Failed', props<{ error: unknown }>());

export const rosterChanged = createEffect(
  (client = inject(CLIENT), group_id = inject(GROUP_ID)) =>
    client.group.roster(group_id).pipe(
      map(({ members }) => lobbyActions.rosterChanged({ members: Object.fromEntries(members) })),
      catchError((error: unknown) => of(lobbyFailed({ error }))),
    ),
  { functional: true },
);

export const identityUpdated = createEffect(
  (client = inject(CLIENT)) =>
    client.events.feed.identityUpdate$.pipe(
      map(({ identity }) => lobbyActions.identityUpdated({ identity })),
      catchError((error: unknown) => of(lobbyFailed({ error }))),
    ),
  { functional: true },
);
