// Runs in a page: an Angular application that shows a feed, and asks for a group.
import '@angular/compiler';
import {
  createEnvironmentInjector,
  EnvironmentInjector,
  InjectionToken,
  provideZonelessChangeDetection,
} from '@angular/core';
import { createApplication } from '@angular/platform-browser';
import { injectFeed, injectLobbyClient, provideLobbyClient } from 'lobby-rx/angular';

declare const navigator: {
  readonly serviceWorker: {
    readonly controller: unknown;
    readonly ready: Promise<unknown>;
    register(url: string): Promise<unknown>;
  };
};

const given = new URLSearchParams(location.search);
const group_id = given.get('group') ?? '';
const config = {
  url: given.get('url') ?? '',
  token: given.get('token') ?? '',
  bypassServiceWorker: given.get('bypass') !== 'no',
  watch: { linger: 0 },
};
const app = await createApplication({
  providers: [provideZonelessChangeDetection(), provideLobbyClient(() => config)],
});
const root = app.injector.get(EnvironmentInjector);
const inPlace = <T>(useFactory: () => T) => {
  const PLACE = new InjectionToken<T>('PLACE');
  const injector = createEnvironmentInjector([{ provide: PLACE, useFactory }], root);
  return { value: injector.get(PLACE), destroy: () => injector.destroy() };
};
const lobby = inPlace(injectLobbyClient).value;

Object.assign(globalThis, {
  install: async () => {
    await navigator.serviceWorker.register('/ngsw-worker.js');
    await navigator.serviceWorker.ready;
  },
  isControlled: () => navigator.serviceWorker.controller !== null,
  /** Shows the feed; what it returns ends that. */
  show: () => {
    const { destroy } = inPlace(injectFeed);
    Object.assign(globalThis, { hide: destroy });
  },
  /**
   * What becomes of a request: how many members there are, or the name of its error and what it
   * says.
   */
  ask: () =>
    new Promise(resolve => {
      lobby.group.getMembers({ group_id }).subscribe({
        next: ({ members }) => resolve(`${members.length} members`),
        error: (error: unknown) => {
          const { name, reason, status } = error as { name: string; reason?: string; status?: number };
          resolve(`${name} ${reason ?? status}`);
        },
      });
    }),
});
