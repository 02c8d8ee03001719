// A program that uses a client of the emulator and then closes the emulator; nothing else may keep
// its process alive.
import { firstValueFrom } from 'rxjs';
import { createClient } from 'lobby-rx';
import { createEmulator, listen } from 'lobby-rx/emulator';

const emulator = createEmulator();
const { identity_id, token } = emulator.addIdentity();
const server = await listen(emulator);
const client = createClient({ ...server.urls, token, watch: { linger: 0 } });
const settled = async (condition: () => boolean) => {
  while (!condition()) await new Promise(setImmediate);
};

if (process.argv[2] === 'watch') {
  const watching = client.events.feed.all$.subscribe();
  await settled(() => emulator.requests.some(({ pending }) => pending));
  watching.unsubscribe();
  await settled(() => emulator.requests.every(({ pending }) => !pending));
} else if (process.argv[2] === 'queue') {
  const first = firstValueFrom(client.events.feed.all$);
  await settled(() => emulator.requests.some(({ pending }) => pending));
  for (let n = 0; n < 3; n++) emulator.publish(identity_id, { n });
  await first;
} else if (process.argv[2] === 'wait') {
  emulator.fault({ kind: 'rate_limited', wait: 600_000 });
  let isWaiting = false;
  client.events.feed.status$.subscribe(({ state }) => {
    isWaiting = state === 'retrying';
  });
  const watching = client.events.feed.all$.subscribe();
  await settled(() => isWaiting);
  watching.unsubscribe();
} else {
  for (let i = 0; i < 2; i++) {
    await new Promise<void>(resolve => client.events.watch().subscribe({ complete: resolve }));
  }
}
await server.close();
console.log('done');
