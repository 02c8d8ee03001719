import { createClient } from 'lobby-rx';
import { createEmulator } from 'lobby-rx/emulator';
import { virtualTime } from './virtual-time.js';

/** An emulator and a client of one of its identities, in virtual time. */
export function virtualWorld({ random }: { readonly random: () => number }) {
  const { scheduler, pass } = virtualTime();
  const emulator = createEmulator({ scheduler });
  const { identity_id, token: first } = emulator.addIdentity();
  let token = first;
  const client = createClient({
    ...emulator.urls,
    transport: emulator.transport,
    renders: false,
    token: {
      get: () => token,
      renew: () => {
        token = emulator.renewToken(token);
        return token;
      },
    },
    scheduler,
    testing: { random },
  });
  return { scheduler, emulator, identity_id, client, pass };
}
