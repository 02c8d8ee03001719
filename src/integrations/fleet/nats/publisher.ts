import {
  JetStreamApiCodes,
  type JetStreamClient,
  type JetStreamManager,
  type JetStreamPublishOptions,
  type PubAck,
} from '@nats-io/jetstream';
import { FleetError } from '../fleet-error.js';
import { isApiError, isTimeout } from './nats-problem.js';

const { StreamWrongLastSequence, StreamWrongLastSequenceUnknown } = JetStreamApiCodes;

/** A stream has stored nothing since a publish timed out. */
interface Silence {
  /** Publishes that begin now are sent after the stream has answered a question. */
  readonly hasAnswered: boolean;
}

/**
 * Publishes to streams. NATS 2.15 on a full file system answers no publish, stores nothing, also
 * when there is room again, and answers everything else. This is said if a stream answers, then a
 * publish times out, and then the stream answers again: a server that stood still once does not.
 */
export class Publisher {
  readonly #js: Pick<JetStreamClient, 'publish'>;
  readonly #streams: Pick<JetStreamManager['streams'], 'info'>;
  /** By stream, those that have stored nothing since a publish timed out. */
  readonly #silent = new Map<string, Silence>();
  /** By stream: whether it answers, while that is not known. */
  readonly #asking = new Map<string, Promise<boolean>>();

  constructor(js: Pick<JetStreamClient, 'publish'>, streams: Pick<JetStreamManager['streams'], 'info'>) {
    this.#js = js;
    this.#streams = streams;
  }

  async publish(
    stream: string,
    subject: string,
    data: Uint8Array | string,
    options?: Partial<JetStreamPublishOptions>,
  ): Promise<PubAck> {
    const silence = this.#silent.get(stream);
    try {
      const stored = await this.#js.publish(subject, data, options);
      this.#silent.delete(stream);
      return stored;
    } catch (error) {
      if (!isTimeout(error)) {
        // The stream has answered.
        this.#silent.delete(stream);
        throw error;
      }
      const hasAnswered = await this.#answers(stream);
      // Something may have been stored since this was sent.
      const isSilent = silence?.hasAnswered === true && this.#silent.has(stream);
      if (!isSilent || !hasAnswered) {
        this.#silent.set(stream, { hasAnswered });
        throw error;
      }
      throw new FleetError(
        `NATS answers but stores nothing in ${stream}: is its disk full? Make room, and restart it`,
        { cause: error },
      );
    }
  }

  #answers(stream: string): Promise<boolean> {
    const asked = this.#asking.get(stream);
    if (asked) return asked;
    const asking = this.#streams
      .info(stream)
      .then(
        () => true,
        () => false,
      )
      .finally(() => this.#asking.delete(stream));
    this.#asking.set(stream, asking);
    return asking;
  }
}

/**
 * Runs `store`, which stores something after what it expects to be the last. Returns `undefined` if
 * something else is. This keeps apart workers that believe to own the same shard, and processes
 * that read with the same name.
 */
export async function fenced<T>(store: () => Promise<T>): Promise<T | undefined> {
  try {
    return await store();
  } catch (error) {
    if (isApiError(error, StreamWrongLastSequence, StreamWrongLastSequenceUnknown)) return undefined;
    throw error;
  }
}
