import type { EnvironmentProviders } from '@angular/core';
import { provideLobbyClient } from '../../integrations/angular/index.js';
import { createEmulator, type Emulator } from '../emulator/index.js';

/**
 * Provides a client whose service is an emulator in memory. Without arguments, each injector gets
 * another emulator and a player who is in no group, for tests that are about something else.
 *
 * @example
 * const emulator = createEmulator();
 * const ada = emulator.addIdentity({ display_name: 'Ada' });
 * TestBed.configureTestingModule({ providers: [provideLobbyTesting(emulator, ada)] });
 */
export function provideLobbyTesting(
  emulator?: Emulator,
  identity?: { readonly token: string },
): EnvironmentProviders {
  return provideLobbyClient(() => {
    const service = emulator ?? createEmulator();
    const { token } = identity ?? service.addIdentity();
    return { url: service.url, transport: service.transport, token };
  });
}
