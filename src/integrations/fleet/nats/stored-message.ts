import type {
  DirectMsgRequest,
  JetStreamManager,
  MsgRequest,
  StoredMsg,
  StreamInfo,
} from '@nats-io/jetstream';
import { storedSubjects, type FleetNames } from './fleet-names.js';
import type { StoredAt, StreamState } from './last-kept.js';

/** What is needed to look into the stream. */
export interface StreamAccess {
  readonly jsm: JetStreamManager;
  readonly names: FleetNames;
}

/**
 * Reads a message of the stream from the nearest server. If that does not have it, it asks the
 * leader of the cluster. A follower may lag behind, so its "not found" does not mean "expired".
 */
export async function storedMessage(
  { jsm, names }: StreamAccess,
  query: DirectMsgRequest,
): Promise<StoredMsg | null> {
  const nearest = await jsm.direct.getMessage(names.stream, query);
  // The server accepts the same queries here, although the types do not say so.
  return nearest ?? jsm.streams.getMessage(names.stream, query as MsgRequest);
}

/** The state of the stream, from the leader of its cluster. */
export async function streamState({ jsm, names }: StreamAccess): Promise<StreamState> {
  return stateIn(await jsm.streams.info(names.stream));
}

export function stateIn({ state }: StreamInfo): StreamState {
  const { first_seq: first, last_seq: last, last_ts } = state;
  return { first, last, lastAt: last === 0 ? 0 : Date.parse(last_ts) };
}

/** Finds the first message of any identity at or after a position. */
export async function messageFrom(access: StreamAccess, seq: number): Promise<StoredAt | undefined> {
  const message = await storedMessage(access, { seq, next_by_subj: storedSubjects(access.names) });
  return message ? { sequence: message.seq, at: message.time.getTime() } : undefined;
}
