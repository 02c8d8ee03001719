// Runs in a page: an Angular application with seven places that show one group, beside its feed.
import '@angular/compiler';
import {
  createEnvironmentInjector,
  provideZonelessChangeDetection,
  EnvironmentInjector,
  InjectionToken,
} from '@angular/core';
import { createApplication } from '@angular/platform-browser';
import { injectFeed, injectLobbyClient, injectRoster, provideLobbyClient } from 'lobby-rx/angular';

const given = new URLSearchParams(location.search);
const group_id = given.get('group') ?? '';
const config = { url: given.get('url') ?? '', token: given.get('token') ?? '' };
const app = await createApplication({
  providers: [provideZonelessChangeDetection(), provideLobbyClient(() => config)],
});
const root = app.injector.get(EnvironmentInjector);
/** What an injection context of its own gets. */
const inPlace = <T>(useFactory: () => T): T => {
  const PLACE = new InjectionToken<T>('PLACE');
  return createEnvironmentInjector([{ provide: PLACE, useFactory }], root).get(PLACE);
};
const rosters = Array.from({ length: 7 }, () => inPlace(() => injectRoster(() => group_id)));
const lobby = inPlace(() => injectLobbyClient());
inPlace(() => injectFeed()).on('identity_update', () => undefined);

Object.assign(globalThis, {
  sizes: () => rosters.map(({ value }) => value()?.size),
  /** How long a plain request takes beside all of it, in ms. */
  ask: () => {
    const start = performance.now();
    return new Promise((resolve, reject) => {
      lobby.group
        .getMembers({ group_id })
        .subscribe({ next: () => resolve(performance.now() - start), error: reject });
    });
  },
});
