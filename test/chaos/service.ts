// The process that serves, and is killed: the emulator over HTTP, with faults of every kind.
import {
  createEmulator,
  listen,
  type Emulator,
  type EmulatorServer,
  type Fault,
  type FaultPlan,
} from 'lobby-rx/emulator';
import type { ChaosPlan, FromService, Owner, ToService } from './messages.js';

/** One identity in five is one whose index the service loses now and then: what is lost by it has to be seen as a gap. */
const KEPT = 4 / 5;

/** The faults, each with its probability for a poll. They take nothing from the log. */
const FAULTS: readonly (readonly [Fault, number])[] = [
  [{ kind: 'refuse' }, 0.012],
  [{ kind: 'reset_before_headers' }, 0.012],
  [{ kind: 'reset_in_body' }, 0.012],
  [{ kind: 'close_in_body' }, 0.012],
  [{ kind: 'stall_before_headers' }, 0.001],
  [{ kind: 'stall_in_body' }, 0.002],
  [{ kind: 'truncated_json' }, 0.012],
  [{ kind: 'wrong_json' }, 0.008],
  [{ kind: 'html', status: 200 }, 0.008],
  [{ kind: 'html', status: 502 }, 0.008],
  [{ kind: 'html', status: 504 }, 0.008],
  [{ kind: 'html', status: 524 }, 0.008],
  [{ kind: 'empty' }, 0.008],
  [{ kind: 'oversized' }, 0.0005],
  [{ kind: 'rate_limited', wait: 1_000 }, 0.003],
  [{ kind: 'rate_limited', wait: 1_000, form: 'date' }, 0.003],
  [{ kind: 'rate_limited', wait: 300, form: 'metadata' }, 0.003],
  [{ kind: 'unauthorized' }, 0.004],
  [{ kind: 'redirect' }, 0.006],
  [{ kind: 'index_absurd' }, 0.008],
  // Not so far that a freeze takes it past the retention: an index is opaque, and its age is seen only from its arrival.
  [{ kind: 'index_backwards', ms: 4_000 }, 0.004],
  [{ kind: 'index_skewed' }, 0.008],
  [{ kind: 'repeat' }, 0.012],
  [{ kind: 'hot' }, 0.02],
];

/** Those that take something: only for identities whose log is not kept. */
const LOSSES: readonly (readonly [Fault, number])[] = [
  [{ kind: 'index_missing' }, 0.01],
  [{ kind: 'index_empty' }, 0.01],
  [{ kind: 'html', status: 400 }, 0.004],
  [{ kind: 'html', status: 410 }, 0.004],
];

let emulator: Emulator;
let server: EmulatorServer;
let takeBack: readonly (() => void)[] = [];

process.on('message', (message: ToService) => void receive(message));
process.on('disconnect', () => process.exit());

const tell = (message: FromService) => process.send?.(message);

async function receive(message: ToService): Promise<void> {
  switch (message.kind) {
    case 'start': {
      const { plan, saved, seed } = message;
      emulator = createEmulator({
        seed,
        retention: plan.retention,
        blockTime: 2_000,
        collectTime: 60,
        ...(saved && { saved }),
      });
      const owners = saved ? [] : settle(plan);
      takeBack = planFaults();
      server = await listen(emulator, { port: message.port });
      tell({ kind: 'started', saved: emulator.save(), port: server.port, tokens: owners });
      return;
    }
    case 'publish': {
      const stamps = message.events.map(([identity_id, n]) =>
        Date.parse(emulator.publish(identity_id, { work: n })),
      );
      tell({ kind: 'published', stamps });
      return;
    }
    case 'calm':
      for (const take of takeBack) take();
      tell({ kind: 'calmed' });
      return;
    case 'report':
      tell({ kind: 'report', faults: emulator.faultCounts, sockets: await server.sockets() });
  }
}

/** Fills the world: the ids of identities whose log is kept begin with `kept`. */
function settle({ identities }: ChaosPlan): Owner[] {
  return Array.from({ length: identities }, (_, i) => {
    const isKept = i < identities * KEPT;
    const { identity_id, token } = emulator.addIdentity({ identity_id: `${isKept ? 'kept' : 'lossy'}-${i}` });
    return { identity_id, token, isKept };
  });
}

function planFaults(): (() => void)[] {
  const lossy = new Set(
    emulator.save().bearers.flatMap(([token, { id }]) => (id.startsWith('lossy') ? [`Bearer ${token}`] : [])),
  );
  const only: FaultPlan['only'] = ({ headers }) => lossy.has(headers.authorization ?? '');
  const always = { times: Infinity };
  return [
    ...FAULTS.map(([fault, probability]) => emulator.fault(fault, { ...always, probability })),
    ...LOSSES.map(([fault, probability]) => emulator.fault(fault, { ...always, probability, only })),
  ];
}
