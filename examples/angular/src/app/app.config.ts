import { provideHttpClient, withFetch } from '@angular/common/http';
import {
  inject,
  provideBrowserGlobalErrorListeners,
  provideZoneChangeDetection,
  provideZonelessChangeDetection,
  type ApplicationConfig,
} from '@angular/core';
import { provideClientHydration } from '@angular/platform-browser';
import { provideLobby, withHttpClientCalls, withOneFeedForAllTabs } from 'lobby-rx/angular';
import { SERVICE_URL } from './service-url';
import { SESSION } from './session';

/** The board is built with and without zone.js, to show that it works in both ways. */
const hasZone = 'Zone' in globalThis;

export const appConfig: ApplicationConfig = {
  providers: [
    hasZone ? provideZoneChangeDetection({ eventCoalescing: true }) : provideZonelessChangeDetection(),
    provideBrowserGlobalErrorListeners(),
    provideClientHydration(),
    provideHttpClient(withFetch()),
    provideLobby(
      () => ({ url: inject(SERVICE_URL), token: inject(SESSION)?.token ?? '' }),
      withHttpClientCalls(),
      withOneFeedForAllTabs(() => `events of ${inject(SESSION)?.id}`),
    ),
  ],
};
