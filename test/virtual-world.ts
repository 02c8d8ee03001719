import { VirtualTimeScheduler } from 'rxjs';
import { createClient } from 'lobby-rx';
import { createEmulator } from 'lobby-rx/emulator';

/** An emulator and a client of one of its identities, in a time that passes only when it is told to. */
export function virtualWorld({ random }: { readonly random: () => number }) {
  const scheduler = new VirtualTimeScheduler();
  // A date of this century, as the dates that servers send are.
  scheduler.frame = Date.UTC(2026, 0, 1);
  const emulator = createEmulator({ scheduler });
  const { identity_id, token } = emulator.addIdentity();
  const client = createClient({
    ...{ ...emulator.urls, transport: emulator.transport },
    ...{ token: () => token, scheduler, random },
  });
  /** Lets so many ms pass. */
  const pass = (ms: number) => {
    scheduler.maxFrames = scheduler.now() + ms;
    scheduler.schedule(() => undefined, ms);
    scheduler.flush();
  };
  return { scheduler, emulator, identity_id, client, pass };
}
