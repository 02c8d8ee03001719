// The service process, which is killed during the run: the emulator over HTTP, with faults of all kinds.
import {
  createEmulator,
  listen,
  type Emulator,
  type EmulatorServer,
  type Fault,
  type FaultPlan,
} from 'lobby-rx/emulator';
import type { ChaosPlan, FromService, TestIdentity, ToService } from './messages.js';

/** For the other identities, faults sometimes lose the index. Events lost by that must be reported as a gap. */
const LOSSLESS_SHARE = 4 / 5;

/** Faults that lose no events, each with its probability per poll. */
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
  // Little enough that a freeze does not exceed the retention: the age of an opaque index is known only since its arrival.
  [{ kind: 'index_backwards', ms: 4_000 }, 0.004],
  [{ kind: 'index_skewed' }, 0.008],
  [{ kind: 'repeat' }, 0.012],
  [{ kind: 'hot' }, 0.02],
];

/** Faults that lose events: only for the lossy identities. */
const LOSSY_FAULTS: readonly (readonly [Fault, number])[] = [
  [{ kind: 'index_missing' }, 0.01],
  [{ kind: 'index_empty' }, 0.01],
  [{ kind: 'html', status: 400 }, 0.004],
  [{ kind: 'html', status: 410 }, 0.004],
];

let emulator: Emulator;
let server: EmulatorServer;
let withdrawFaults: readonly (() => void)[] = [];

process.on('message', (message: ToService) => void receive(message));
process.on('disconnect', () => process.exit());

const reply = (message: FromService) => process.send?.(message);

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
      const added = saved ? [] : addIdentities(plan);
      withdrawFaults = planFaults();
      server = await listen(emulator, { port: message.port });
      reply({ kind: 'started', saved: emulator.save(), port: server.port, identities: added });
      return;
    }
    case 'publish': {
      const stamps = message.events.map(([identity_id, n]) =>
        Date.parse(emulator.publish(identity_id, { work: n })),
      );
      reply({ kind: 'published', stamps });
      return;
    }
    case 'stop_faults':
      for (const withdraw of withdrawFaults) withdraw();
      reply({ kind: 'faults_stopped' });
      return;
    case 'report':
      reply({ kind: 'report', faults: emulator.faultCounts, sockets: await server.sockets() });
  }
}

/** Adds the identities. Their ids start with `lossless` or `lossy`. */
function addIdentities({ identities }: ChaosPlan): TestIdentity[] {
  return Array.from({ length: identities }, (_, i) => {
    const isLossless = i < identities * LOSSLESS_SHARE;
    const { identity_id, token } = emulator.addIdentity({
      identity_id: `${isLossless ? 'lossless' : 'lossy'}-${i}`,
    });
    return { identity_id, token, isLossless };
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
    ...LOSSY_FAULTS.map(([fault, probability]) => emulator.fault(fault, { ...always, probability, only })),
  ];
}
