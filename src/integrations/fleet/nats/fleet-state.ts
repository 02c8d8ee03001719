import type { KV } from '@nats-io/kv';
import { definedOptions, InputError, positiveInteger, tryOr } from '../../../error/index.js';
import { NO_FLEET_YET, NotYet } from '../fleet-error.js';
import { fenced } from './publisher.js';
import { lastKept, type MessageFrom, type StoredAt, type StreamState } from './last-kept.js';

/** The key in the bucket under which the {@link FleetState} is stored. */
const STATE = 'fleet';

/** The settings that all workers and readers of a fleet share. */
export interface FleetState {
  readonly shards: number;
  /** The former numbers of shards. Records of those times are stored under them. */
  readonly before?: readonly number[];
  /** The number of the present stream. */
  readonly generation?: number;
  /**
   * A message by which the present stream is recognized. Its position is 0 if the stream was empty.
   * The time of creation does not tell, because a restored stream may have another one, and servers
   * of a cluster may have different ones.
   */
  readonly landmark?: StoredAt;
}

/** The number of shards if the first worker has no `shards`. */
const DEFAULT_SHARDS = 256;

/** The numbers of the streams that a fleet has had. */
export interface Generations {
  /**
   * The number of the stream in this state. It is higher than those of all streams before. Rejects
   * if no worker has counted the stream yet.
   */
  readonly generationOf: (stream: StreamState) => Promise<number>;
  /** The number of the stream that was counted last. */
  readonly generation: () => Promise<number>;
}

/** The stored state. `undefined` if it was deleted, or is not valid. */
async function read(kv: KV): Promise<{ readonly state: FleetState; readonly revision: number } | undefined> {
  const entry = await kv.get(STATE);
  if (entry?.operation !== 'PUT') return undefined;
  const state = tryOr(() => entry.json<FleetState>(), undefined);
  return state && positiveInteger.is(state.shards) ? { state, revision: entry.revision } : undefined;
}

/** The present number of shards, and the former ones. */
export type ShardCounts = Required<Pick<FleetState, 'shards' | 'before'>>;

/** Rejects if no worker has stored the state yet. */
export async function readFleetState(kv: KV): Promise<ShardCounts> {
  const entry = await read(kv);
  if (!entry) throw new NotYet(NO_FLEET_YET);
  const { shards, before = [] } = entry.state;
  return { shards, before };
}

/**
 * Agrees on the state with the other workers. The first worker stores what it wants. The subjects
 * of records depend on the number of shards, so a worker that wants another number is rejected.
 */
export async function agreeOnFleetState(kv: KV, wanted: Partial<ShardCounts>): Promise<ShardCounts> {
  if (!(await read(kv))) await storeFirst(kv, wanted);
  const state = await readFleetState(kv);
  if (wanted.shards !== undefined && wanted.shards !== state.shards)
    throw new InputError(
      'shards',
      `${state.shards}, as the workers of this fleet have it, or set by setShards while none works`,
      String(wanted.shards),
    );
  return state;
}

/** Stores the state, unless another worker does so at the same time. */
async function storeFirst(kv: KV, wanted: Partial<ShardCounts>): Promise<void> {
  // A value that is not valid is replaced.
  const previousSeq = (await kv.get(STATE))?.revision ?? 0;
  const first: FleetState = { shards: DEFAULT_SHARDS, ...definedOptions(wanted) };
  await fenced(() => kv.put(STATE, JSON.stringify(first), { previousSeq }));
}

/** Sets another number of shards. No worker or consumer may run at the same time. */
export async function changeShards(kv: KV, shards: number): Promise<void> {
  for (;;) {
    const entry = await read(kv);
    if (!entry) throw new NotYet(NO_FLEET_YET);
    const { state, revision: previousSeq } = entry;
    if (state.shards === shards) return;
    const former = new Set(state.before);
    former.add(state.shards);
    former.delete(shards);
    const before = [...former];
    const put = () => kv.put(STATE, JSON.stringify({ ...state, shards, before }), { previousSeq });
    if ((await fenced(put)) !== undefined) return;
  }
}

const DAY_MS = 24 * 3_600_000;
const FIRST_DAY_MS = Date.UTC(2026, 0);

/** The age from which a landmark is replaced by a newer message, in ms, so that none expires. */
const OLD_LANDMARK_MS = 60_000;

/**
 * Whether a stream has been counted, although it may have lost its end since. It has if it still
 * has anything of what was stored up to the landmark.
 */
async function isCounted(
  { generation, landmark }: FleetState,
  stream: StreamState,
  messageFrom: MessageFrom,
): Promise<boolean> {
  if (generation === undefined || !landmark) return false;
  return landmark.sequence === 0 || (await lastKept(landmark, stream, messageFrom)).sequence > 0;
}

/**
 * Gives a stream its number, unless it has one, and keeps its landmark new. The number is not a
 * time, because clocks may be set back. It is at least the number of days since 2026 began. So it
 * also increases if the fleet has lost its state.
 */
export async function countStream(kv: KV, stream: StreamState, messageFrom: MessageFrom): Promise<void> {
  const landmark = { sequence: stream.last, at: stream.lastAt };
  for (;;) {
    const entry = await read(kv);
    if (!entry) return;
    const { state, revision: previousSeq } = entry;
    const isSame = await isCounted(state, stream, messageFrom);
    if (isSame && stream.lastAt - state.landmark!.at < OLD_LANDMARK_MS) return;
    const days = Math.floor((Date.now() - FIRST_DAY_MS) / DAY_MS);
    const next = Math.max((state.generation ?? 0) + 1, days);
    const generation = isSame ? state.generation : next;
    const put = () => kv.put(STATE, JSON.stringify({ ...state, generation, landmark }), { previousSeq });
    if ((await fenced(put)) !== undefined) return;
  }
}

export function generationsIn(kv: KV, messageFrom: MessageFrom): Generations {
  const state = async () => (await read(kv))?.state;
  return {
    generation: async () => (await state())?.generation ?? 0,
    generationOf: async stream => {
      const now = await state();
      if (now?.generation !== undefined && (await isCounted(now, stream, messageFrom))) return now.generation;
      throw new NotYet('the stream was created a moment ago, and no worker has counted it yet');
    },
  };
}
