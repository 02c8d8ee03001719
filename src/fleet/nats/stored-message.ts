import type { DirectMsgRequest, MsgRequest, StoredMsg } from '@nats-io/jetstream';
import type { OpenFleet } from './open-fleet.js';

/**
 * A message of the stream, from the nearest server; if that does not have it, from the leader of its cluster: a follower may lag
 * behind, and "not found" is not "expired".
 */
export async function storedMessage(
  { jsm, names }: OpenFleet,
  query: DirectMsgRequest,
): Promise<StoredMsg | null> {
  const nearest = await jsm.direct.getMessage(names.stream, query);
  // The server takes the same queries here, which the types do not say.
  return nearest ?? jsm.streams.getMessage(names.stream, query as MsgRequest);
}

/** The positions of the first and the last message of the stream, and when it was created, by the leader of its cluster. */
export async function streamState({ jsm, names }: OpenFleet): Promise<{
  readonly first: number;
  readonly last: number;
  readonly created: string;
}> {
  const { state, created } = await jsm.streams.info(names.stream);
  return { first: state.first_seq, last: state.last_seq, created };
}
