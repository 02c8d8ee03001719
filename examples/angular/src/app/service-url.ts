import { inject, InjectionToken, makeStateKey, REQUEST, TransferState } from '@angular/core';

const KEY = makeStateKey<string>('service url');

/**
 * The base URL of the service. The server reads it from `SERVICE_URL`, and passes it to the page.
 */
export const SERVICE_URL = new InjectionToken<string>('SERVICE_URL', {
  factory: () => {
    const state = inject(TransferState);
    if (inject(REQUEST)) state.set(KEY, process.env['SERVICE_URL'] ?? '');
    return state.get(KEY, '');
  },
});
