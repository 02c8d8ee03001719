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

/** A publish timed out, and the stream has stored nothing since then. */
interface Silence {
  /** Whether the stream has answered a question since then. */
  readonly hasAnswered: boolean;
}

/**
 * Publishes to streams. It recognizes a full file system. NATS 2.15 then answers no publish and
 * stores nothing, even when there is room again, but it answers everything else. The error for this
 * needs a publish that times out, between two questions that the stream answers. That excludes a
 * server that has just stood still once.
 */
export class Publisher {
  readonly #js: Pick<JetStreamClient, 'publish'>;
  readonly #streams: Pick<JetStreamManager['streams'], 'info'>;
  /** By stream. Only streams that have stored nothing since a publish timed out. */
  readonly #silent = new Map<string, Silence>();
  /** By stream. Only while the stream is being asked whether it answers. */
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
        // Another error is an answer of the stream.
        this.#silent.delete(stream);
        throw error;
      }
      const hasAnswered = await this.#answers(stream);
      // It is still silent only if nothing has been stored since this was sent.
      const isSilent = silence?.hasAnswered === true && this.#silent.has(stream);
      if (!isSilent || !hasAnswered) {
        this.#silent.set(stream, { hasAnswered });
        throw error;
      }
      throw new FleetError(
        `NATS answers but stores nothing in ${stream}: are servers of its cluster down, or is its disk full? Make room, and restart it`,
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
 * Runs `store`, which stores something only if the last message is still the expected one. Returns
 * `undefined` if it is not. So of two workers that both believe they own a shard, only one stores.
 * The same is true for two processes that read with the same name.
 */
export async function fenced<T>(store: () => Promise<T>): Promise<T | undefined> {
  try {
    return await store();
  } catch (error) {
    if (isApiError(error, StreamWrongLastSequence, StreamWrongLastSequenceUnknown)) return undefined;
    throw error;
  }
}
