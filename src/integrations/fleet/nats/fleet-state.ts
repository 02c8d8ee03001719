import type { KV } from '@nats-io/kv';
import { definedOptions, InputError, positiveInteger, tryOr } from '../../../error/index.js';
import { FleetError } from '../fleet-error.js';
import { fenced } from './publisher.js';

/** The key in the bucket under which the {@link FleetState} is stored. */
const STATE = 'fleet';

/** What all workers and readers of a fleet agree on. */
export interface FleetState {
  readonly shards: number;
  /** The numbers that it has had before: records of those times are stored under them. */
  readonly before?: readonly number[];
  /** The number of the present stream, and when that was created. */
  readonly generation?: number;
  readonly created?: string;
}

/** How many shards a fleet has, unless its first worker says it. */
const DEFAULT_SHARDS = 256;

/** The streams that a fleet has had are numbered. */
export interface Generations {
  /**
   * The number of the stream that was created at a time: higher than those of all before it. It
   * fails if no worker has counted it yet.
   */
  readonly generationOf: (created: string) => Promise<number>;
  /** The number of the stream that was counted last. */
  readonly generation: () => Promise<number>;
}

/** The stored state; `undefined` if it was deleted, or is something else. */
async function read(kv: KV): Promise<{ readonly state: FleetState; readonly revision: number } | undefined> {
  const entry = await kv.get(STATE);
  const state = entry?.operation === 'PUT' ? tryOr(() => entry.json<FleetState>(), undefined) : undefined;
  return entry && state && positiveInteger.is(state.shards) ? { state, revision: entry.revision } : undefined;
}

/**
 * The number of shards is a part of where records are stored. It stays as the first worker has said
 * it.
 */
export async function agreeOnFleetState(
  kv: KV,
  /** Without `before` or `shards`, as it is. */
  wanted: Partial<FleetState> = {},
  isWorker = false,
): Promise<Required<Pick<FleetState, 'shards' | 'before'>>> {
  const stored = async () => (await read(kv))?.state;
  let state = await stored();
  if (!state && isWorker) {
    // A value that somebody has spoilt is replaced.
    const previousSeq = (await kv.get(STATE))?.revision ?? 0;
    await fenced(() =>
      kv.put(STATE, JSON.stringify({ shards: DEFAULT_SHARDS, ...definedOptions(wanted) }), { previousSeq }),
    );
    state = await stored();
  }
  if (!state) throw new FleetError('the fleet does not exist yet: none of its workers has run');
  const { shards, before = [] } = state;
  if (wanted.shards !== undefined && wanted.shards !== shards)
    throw new InputError(
      'shards',
      `${shards}, as the workers of this fleet have it, or set by setShards while none works`,
      String(wanted.shards),
    );
  return { shards, before };
}

/** Sets another number of shards. Nobody may work for the fleet, or read it, while this runs. */
export async function changeShards(kv: KV, shards: number): Promise<void> {
  for (;;) {
    const entry = await read(kv);
    if (!entry) throw new FleetError('the fleet does not exist yet: none of its workers has run');
    const { state, revision: previousSeq } = entry;
    if (state.shards === shards) return;
    const before = [...new Set([...(state.before ?? []), state.shards])].filter(number => number !== shards);
    const put = () => kv.put(STATE, JSON.stringify({ ...state, shards, before }), { previousSeq });
    if ((await fenced(put)) !== undefined) return;
  }
}

/**
 * The servers of a cluster write the same time in more than one way: by how much they differ at
 * most, in ms.
 */
const SAME_MS = 10;

const DAY_MS = 24 * 3_600_000;
const FIRST_DAY_MS = Date.UTC(2026, 0);

const isSame = (state: FleetState | undefined, created: string) =>
  Math.abs(Date.parse(state?.created ?? '') - Date.parse(created)) <= SAME_MS;

/**
 * Counts a stream, unless that has been done. Its number is no time, since clocks are set back. It
 * is at least the day, so that a fleet that has also lost its count does not begin again.
 */
export async function countStream(kv: KV, created: string): Promise<void> {
  for (;;) {
    const entry = await read(kv);
    if (!entry || isSame(entry.state, created)) return;
    const { state, revision: previousSeq } = entry;
    const generation = Math.max(
      (state.generation ?? 0) + 1,
      Math.floor((Date.now() - FIRST_DAY_MS) / DAY_MS),
    );
    const put = () => kv.put(STATE, JSON.stringify({ ...state, generation, created }), { previousSeq });
    if ((await fenced(put)) !== undefined) return;
  }
}

export function generationsIn(kv: KV): Generations {
  const state = async () => (await read(kv))?.state;
  return {
    generation: async () => (await state())?.generation ?? 0,
    generationOf: async created => {
      const now = await state();
      if (now?.generation !== undefined && isSame(now, created)) return now.generation;
      throw new FleetError('the stream was created a moment ago, and no worker has counted it yet');
    },
  };
}
