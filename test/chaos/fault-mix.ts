import type { Emulator, Fault, FaultPlan } from 'lobby-rx/emulator';
import type { LastAnswers } from './last-answers.js';
import type { TestIdentity } from './messages.js';

/** Faults that lose no events, each with its probability per poll. */
const FAULTS: readonly (readonly [Fault, number])[] = [
  [{ kind: 'reset_before_request' }, 0.018],
  [{ kind: 'reset_before_headers' }, 0.018],
  [{ kind: 'reset_in_body' }, 0.018],
  [{ kind: 'close_in_body' }, 0.018],
  [{ kind: 'stall_before_headers' }, 0.003],
  [{ kind: 'stall_in_body' }, 0.0045],
  [{ kind: 'truncated_json' }, 0.018],
  [{ kind: 'wrong_json' }, 0.012],
  // A proxy's pages, without a code or a ray id. Those with 502, 504 and 524 come at once: they are
  // no polls that were cut.
  ...[200, 400, 403, 404, 410, 502, 502, 504, 504, 524].map(
    status => [{ kind: 'html', status }, 0.009] as const,
  ),
  ...[400, 403, 404, 500, 502, 504].map(status => [{ kind: 'empty', status }, 0.0045] as const),
  ...[500, 503].map(status => [{ kind: 'error', status }, 0.006] as const),
  // The service's own no ends the watch.
  [{ kind: 'error', status: 403 }, 0.0005],
  [{ kind: 'oversized' }, 0.0005],
  [{ kind: 'rate_limited', wait: 1_000 }, 0.003],
  [{ kind: 'rate_limited', wait: 1_000, form: 'date' }, 0.003],
  [{ kind: 'rate_limited', wait: 300, form: 'metadata' }, 0.003],
  [{ kind: 'unauthorized' }, 0.006],
  [{ kind: 'redirect' }, 0.009],
  [{ kind: 'hot' }, 0.12],
];

/** Faults that make the service send again what it has sent. */
const REPLAYS: typeof FAULTS = [
  // Little enough that a freeze does not exceed the retention: the age of an opaque index is known
  // only since its arrival.
  [{ kind: 'index_backwards', ms: 4_000 }, 0.004],
  [{ kind: 'index_skewed' }, 0.008],
];

/** Faults that lose events, which must be reported as a gap. */
const LOSSES: typeof FAULTS = [
  [{ kind: 'index_missing' }, 0.01],
  [{ kind: 'index_empty' }, 0.01],
  [{ kind: 'index_absurd' }, 0.01],
  ...[400, 404, 410].map(status => [{ kind: 'error', status }, 0.003] as const),
];

/** The service repeats its last answer with events, which the watch has committed. */
const REPEAT: readonly [Fault, number] = [{ kind: 'repeat' }, 0.08];

/** Plans faults of all kinds for an emulator. Returns how to withdraw them. */
export function planFaults(
  emulator: Emulator,
  { hasCommitted }: LastAnswers,
  kindOf: (token: string) => TestIdentity['kind'],
): () => void {
  type Only = NonNullable<FaultPlan['only']>;
  const isOf =
    (kinds: readonly TestIdentity['kind'][]): Only =>
    ({ headers }) =>
      kinds.includes(kindOf(headers.authorization!.slice('Bearer '.length)));
  const plan = (faults: typeof FAULTS, only: Only) =>
    faults.map(([fault, probability]) => emulator.fault(fault, { times: Infinity, probability, only }));
  const withdraw = [
    ...plan(FAULTS, isOf(['steady', 'bulk', 'replayed', 'lossy'])),
    ...plan([REPEAT], hasCommitted),
    ...plan(REPLAYS, isOf(['replayed', 'lossy'])),
    ...plan(LOSSES, isOf(['lossy'])),
  ];
  return () => withdraw.forEach(one => one());
}
