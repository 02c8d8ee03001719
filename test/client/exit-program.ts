// A program that uses a client of the emulator and then closes the emulator; nothing else may keep its process alive.
import { createClient } from 'lobby-rx';
import { createEmulator, listen } from 'lobby-rx/emulator';

const emulator = createEmulator();
const { token } = emulator.addIdentity();
const server = await listen(emulator);
const client = createClient({ ...server.urls, token, linger: 0 });
const settled = async (condition: () => boolean) => {
  while (!condition()) await new Promise(setImmediate);
};

if (process.argv[2] === 'watch') {
  const watching = client.events.feed.all$.subscribe();
  await settled(() => emulator.requests.some(({ pending }) => pending));
  watching.unsubscribe();
  await settled(() => emulator.requests.every(({ pending }) => !pending));
} else {
  for (let i = 0; i < 2; i++) {
    await new Promise<void>(resolve => client.events.watch().subscribe({ complete: resolve }));
  }
}
await server.close();
console.log('done');
