// The service process, which is killed during the run: the emulator over HTTP, with faults of all
// kinds.
import {
  createEmulator,
  listen,
  type EmulatedRequest,
  type Emulator,
  type EmulatorServer,
} from 'lobby-rx/emulator';
import { planFaults } from './fault-mix.js';
import { lastAnswers, type LastAnswers } from './last-answers.js';
import type { FollowerName, FromService, TestIdentity, ToService } from './messages.js';

/** How many identities of each kind there are, for the consumer, the visitor and the returner. */
const COUNTS = { steady: [30, 8, 7], bulk: [4, 4, 2], replayed: [6, 2, 2], lossy: [10, 2, 2] } as const;
const FOLLOWERS: readonly FollowerName[] = ['consumer', 'visitor', 'returner'];

let emulator: Emulator;
let answers: LastAnswers;
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
      answers = lastAnswers(emulator);
      const added = saved ? [] : addIdentities();
      const world = emulator.save();
      const kinds = new Map(world.bearers.map(([token, { id }]) => [token, id.split('-')[0]]));
      const kindOf = (token: string) => kinds.get(token) as TestIdentity['kind'];
      withdrawFaults = planFaults(emulator, answers, kindOf);
      server = await listen({ ...emulator, handle: answers.handle }, { port: message.port });
      reply({ kind: 'started', saved: world, port: server.port, identities: added });
      return;
    }
    case 'publish': {
      const { events, repeatFor } = message;
      const stamps = events.map(([identity_id, n]) => Date.parse(emulator.publish(identity_id, { work: n })));
      if (repeatFor !== undefined) {
        const only = (request: EmulatedRequest) =>
          request.headers.authorization === `Bearer ${repeatFor}` && answers.hasCommitted(request);
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
        const followedBy = FOLLOWERS[i]!;
        const { identity_id, token } = emulator.addIdentity({ identity_id: `${kind}-${followedBy}-${n}` });
        return { identity_id, token, kind, followedBy };
      }),
    ),
  );
}
