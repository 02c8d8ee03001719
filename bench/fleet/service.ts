// The service in another process, whose CPU does not count.
import { createEmulator, listen, type Emulator } from 'lobby-rx/emulator';
import type { FromService, ToService } from './messages.js';

let emulator: Emulator;
let ids: readonly string[];
const tell = (message: FromService) => process.send?.(message);

process.on('message', (message: ToService) => void receive(message));
process.on('disconnect', () => process.exit());

async function receive(message: ToService): Promise<void> {
  if (message.kind === 'start') {
    emulator = createEmulator({ seed: message.seed, blockTime: message.blockTime, collectTime: 100 });
    const service = await listen(emulator);
    const players = Array.from({ length: message.identities }, () => emulator.addIdentity());
    ids = players.map(({ identity_id }) => identity_id);
    tell({
      kind: 'started',
      identities: players.map(({ identity_id, token }) => ({ identity_id, token, url: service.url })),
    });
  } else if (message.kind === 'publish') {
    const { perSecond, time } = message;
    const startedAt = Date.now();
    let count = 0;
    const publishing = setInterval(() => {
      const passed = Math.min(time, Date.now() - startedAt);
      while (count < (perSecond * passed) / 1_000) {
        emulator.publish(ids[count % ids.length]!, { numbered: { number: ++count } });
      }
      if (passed < time) return;
      clearInterval(publishing);
      tell({ kind: 'published', count });
    }, 10);
  } else {
    const held = emulator.requests.filter(
      ({ pending, url }) => pending && url.includes('watch_index'),
    ).length;
    tell({ kind: 'polls', held });
  }
}
