import type { ClientRequest, IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { EachPart, SentResponse } from '../fetch-like.js';

/** One request of Node's and its answer, from the moment when the request is started. */
export class Exchange {
  isAborted = false;
  /** Aborts what does not reach {@link answerTo}. */
  controller: AbortController | undefined;
  #request: ClientRequest | undefined;
  #incoming: IncomingMessage | undefined;
  #decoder: Transform | undefined;
  #sentAt = 0;
  /** Node's own error of a body that is cut says only that it was aborted. */
  #failBody: (error: Error) => void = () => undefined;

  /**
   * The answer to a request. Fails with Node's own error, which says more than that of a fetch, or if the connection ends before the
   * answer does, which Node does not report in every case.
   */
  answerTo(request: ClientRequest): Promise<SentResponse> {
    this.#request = request;
    return new Promise((resolve, reject) => {
      // A request may have waited for its socket.
      request.once('socket', () => (this.#sentAt = performance.now()));
      request.once('response', incoming => {
        this.#incoming = incoming;
        // A server may have answered before it had read all of a large request, and does not wait for the rest.
        incoming.once('end', () => {
          if (!request.writableFinished) request.destroy();
        });
        const { headers } = incoming;
        const get = (name: string) => {
          const key = name.toLowerCase();
          const value = Object.hasOwn(headers, key) ? headers[key] : undefined;
          return (Array.isArray(value) ? value.join(', ') : value) ?? null;
        };
        const eachPart = this.eachPartOf(incoming, get('content-encoding'));
        resolve({ status: incoming.statusCode!, headers: { get }, eachPart });
      });
      const fail = (error: Error) => {
        reject(error);
        this.#failBody(error);
        this.#incoming?.destroy(error);
      };
      request.on('error', error => {
        // What follows a complete answer is no part of it. One that ends with its connection is complete once that is closed.
        if (!this.#incoming?.complete) fail(error);
      });
      request.once('close', () => {
        if (this.#incoming?.complete) return;
        // Node is silent after an unrequested upgrade, for example.
        const where = this.#incoming ? 'in the body' : 'without an answer';
        fail(Object.assign(new Error(`the connection was closed ${where}`), { code: 'ECONNRESET' }));
      });
    });
  }

  /**
   * Reads a body part by part, decompressed. Unlike node-fetch's own decompression, it fails if a compressed body is incomplete. It
   * does not use the async iterator of the stream, which costs more than a small answer is worth.
   */
  eachPartOf(body: Readable, encoding: string | null | undefined): EachPart {
    return onPart =>
      new Promise((resolve, reject) => {
        this.#failBody = reject;
        const decoder = (this.#decoder = DECODERS.get(encoding?.toLowerCase() ?? '')?.());
        const stream: Readable = decoder ?? body;
        let isEmpty = true;
        if (body.errored) reject(body.errored);
        // node-fetch had begun to read it.
        if (body.readableEnded) resolve();
        stream.on('data', (part: Uint8Array) => {
          try {
            onPart(part);
          } catch (error) {
            // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever was thrown
            reject(error);
            stream.destroy();
          }
        });
        stream.once('end', resolve);
        stream.on('error', (error: NodeJS.ErrnoException) => {
          // Servers send no compressed form of an empty body, only its header.
          if (isEmpty && error.code === 'Z_BUF_ERROR') resolve();
          else reject(error);
        });
        // Nor does it flow by itself then.
        stream.resume();
        if (!decoder) return;
        body.once('data', () => (isEmpty = false));
        // Compressed data may end before its connection does, which would stay open then.
        decoder.once('end', () => {
          if (!body.readableEnded) this.#request?.destroy();
        });
        pipeline(body, decoder, () => undefined);
      });
  }

  abort(): void {
    this.isAborted = true;
    this.controller?.abort();
    this.#request?.destroy();
    // All of the body may have come already: little of it can become very much.
    this.#decoder?.destroy();
  }

  /** Whether the server closed an idle socket just as it was reused, and not later, when it had the request. */
  get hasDiedOnReuse(): boolean {
    const isReused = !this.#incoming && this.#request?.reusedSocket === true;
    return isReused && performance.now() - this.#sentAt <= REUSE_MS;
  }
}

/** How soon after sending a socket dies that was dead before. */
const REUSE_MS = 1_000;

const DECODERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);
