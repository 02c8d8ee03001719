import '@angular/compiler';
import {
  createEnvironmentInjector,
  ErrorHandler,
  Injector,
  ɵINJECTOR_SCOPE as INJECTOR_SCOPE,
  type EnvironmentInjector,
} from '@angular/core';
import { Actions, provideEffects, ofType } from '@ngrx/effects';
import { provideState, provideStore, Store } from '@ngrx/store';
import * as effects from './ngrx-effects.js';
import { lobby } from './ngrx-store.js';
import { scenario } from './scenario.js';

scenario('NgRx effects', (client, group_id) => {
  const { CLIENT, GROUP_ID, lobbyFailed, rosterChanged, identityUpdated } = effects;
  const injector = createEnvironmentInjector(
    [
      // An application has such an injector. NgRx provides its runner there.
      { provide: INJECTOR_SCOPE, useValue: 'root' },
      ErrorHandler,
      { provide: CLIENT, useValue: client },
      { provide: GROUP_ID, useValue: group_id },
      provideStore(),
      provideState(lobby),
      provideEffects({ rosterChanged, identityUpdated }),
    ],
    Injector.NULL as EnvironmentInjector,
  );
  const store = injector.get(Store);
  const members = store.selectSignal(lobby.selectMembers);
  const presences = store.selectSignal(lobby.selectPresences);
  const errors: unknown[] = [];
  const failing = injector
    .get(Actions)
    .pipe(ofType(lobbyFailed))
    .subscribe(({ error }) => errors.push(error));
  return {
    names: () => Object.values(members()).map(({ identity }) => identity.display_name),
    presenceOf: id => presences()[id]?.status,
    errors: () => errors,
    close: () => {
      failing.unsubscribe();
      injector.destroy();
    },
  };
});
