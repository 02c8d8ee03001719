// The service process, which is killed during the run: the emulator over HTTP, with faults of all kinds.
import { createEmulator, listen, type Emulator, type EmulatorServer } from 'lobby-rx/emulator';
import { planFaults } from './fault-mix.js';
import type { FromService, TestIdentity, ToService } from './messages.js';

/** How many identities of each kind there are, for the consumer and for the visitor. */
const COUNTS = { steady: [36, 10], bulk: [4, 4], lossy: [10, 2] } as const;

let emulator: Emulator;
let server: EmulatorServer;
let withdrawFaults: () => void;

process.on('message', (message: ToService) => void receive(message));
process.on('disconnect', () => process.exit());

const reply = (message: FromService) => process.send?.(message);

async function receive(message: ToService): Promise<void> {
  switch (message.kind) {
    case 'start': {
      const { plan, saved, seed } = message;
      const { retention, blockTime } = plan;
      emulator = createEmulator({ seed, retention, blockTime, collectTime: 60, ...(saved && { saved }) });
      const added = saved ? [] : addIdentities();
      const world = emulator.save();
      const kinds = new Map(world.bearers.map(([token, { id }]) => [token, id.split('-')[0]]));
      withdrawFaults = planFaults(emulator, token => kinds.get(token) as TestIdentity['kind']);
      server = await listen(emulator, { port: message.port });
      reply({ kind: 'started', saved: world, port: server.port, identities: added });
      return;
    }
    case 'publish': {
      const { events, repeatFor } = message;
      const stamps = events.map(([identity_id, n]) => Date.parse(emulator.publish(identity_id, { work: n })));
      if (repeatFor !== undefined) {
        const only = (request: { readonly headers: Readonly<Record<string, string>> }) =>
          request.headers.authorization === `Bearer ${repeatFor}`;
        emulator.fault({ kind: 'repeat' }, { times: 6, probability: 0.5, only });
      }
      reply({ kind: 'published', stamps });
      return;
    }
    case 'kill_connections':
      emulator.fault({ kind: 'dead_pool' });
      reply({ kind: 'done' });
      return;
    case 'stop_faults':
      withdrawFaults();
      reply({ kind: 'done' });
      return;
    case 'report':
      reply({ kind: 'report', faults: emulator.faultCounts, sockets: await server.sockets() });
  }
}

/** Adds the identities. Their ids start with their kind. */
function addIdentities(): TestIdentity[] {
  const kinds = Object.keys(COUNTS) as TestIdentity['kind'][];
  return kinds.flatMap(kind =>
    COUNTS[kind].flatMap((count, i) =>
      Array.from({ length: count }, (_, n) => {
        const isVisited = i === 1;
        const name = `${kind}-${isVisited ? 'visited' : 'watched'}-${n}`;
        const { identity_id, token } = emulator.addIdentity({ identity_id: name });
        return { identity_id, token, kind, isVisited };
      }),
    ),
  );
}
