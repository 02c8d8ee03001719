import '@angular/compiler';
import { createEnvironmentInjector, Injector, type EnvironmentInjector } from '@angular/core';
import { CLIENT, LobbyStore } from './ngrx-signal-store.js';
import { scenario } from './scenario.js';

scenario('NgRx SignalStore', (client, group_id) => {
  const injector = createEnvironmentInjector(
    [{ provide: CLIENT, useValue: client }, LobbyStore],
    Injector.NULL as EnvironmentInjector,
  );
  const store = injector.get(LobbyStore);
  store.follow(group_id);
  return {
    names: () => [...store.members().values()].map(({ identity }) => identity.display_name),
    presenceOf: id => store.profiles().get(id)?.presence?.status,
    errors: () => (store.error() === undefined ? [] : [store.error()]),
    close: () => injector.destroy(),
  };
});
