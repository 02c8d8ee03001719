import { isPlatformBrowser } from '@angular/common';
import { provideHttpClient, withFetch } from '@angular/common/http';
import {
  inject,
  PLATFORM_ID,
  provideBrowserGlobalErrorListeners,
  provideZoneChangeDetection,
  provideZonelessChangeDetection,
  type ApplicationConfig,
} from '@angular/core';
import { provideClientHydration } from '@angular/platform-browser';
import { provideLobbyClient, withHttpClientCalls, withOneFeedForAllTabs } from 'lobby-rx/angular';
import { SERVICE_URL } from './service-url';
import { renewToken, SESSION } from './session';

/** The board is built with and without zone.js, to show that it works in both ways. */
const hasZone = 'Zone' in globalThis;

export const appConfig: ApplicationConfig = {
  providers: [
    hasZone ? provideZoneChangeDetection({ eventCoalescing: true }) : provideZonelessChangeDetection(),
    provideBrowserGlobalErrorListeners(),
    provideClientHydration(),
    provideHttpClient(withFetch()),
    provideLobbyClient(
      () => {
        const session = inject(SESSION);
        const canRenew = session && isPlatformBrowser(inject(PLATFORM_ID));
        return {
          url: inject(SERVICE_URL),
          token: { get: () => session?.token, renew: () => (canRenew ? renewToken(session) : null) },
        };
      },
      withHttpClientCalls(),
      withOneFeedForAllTabs(() => `events of ${inject(SESSION)?.id}`),
    ),
  ],
};
