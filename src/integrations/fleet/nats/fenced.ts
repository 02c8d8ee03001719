import { JetStreamApiCodes } from '@nats-io/jetstream';
import { isApiError } from './nats-problem.js';

const { StreamWrongLastSequence, StreamWrongLastSequenceUnknown } = JetStreamApiCodes;

/**
 * What `store` returns, which stores something after what it expects to be last; undefined if
 * something else is. This is what keeps apart workers that believe to hold the same shard, and
 * processes that read with the same name.
 */
export async function fenced<T>(store: () => Promise<T>): Promise<T | undefined> {
  try {
    return await store();
  } catch (error) {
    if (isApiError(error, StreamWrongLastSequence, StreamWrongLastSequenceUnknown)) return undefined;
    throw error;
  }
}
