import type { ClientRequest, IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { EachPart } from '../fetch-like.js';

/** One request of Node's and its answer, from the moment when the request is started. */
export class Exchange {
  /** The answer, once its headers have come. */
  incoming: IncomingMessage | undefined;
  #request: ClientRequest | undefined;
  #decoder: Transform | undefined;

  /**
   * Follows a request. Calls `onFailure` with Node's own error, which says more than that of a fetch, or if the connection ends
   * before the answer does, which Node does not report in every case.
   */
  observe(request: ClientRequest, onFailure: (error: Error) => void): void {
    this.#request = request;
    request.once('response', response => {
      this.incoming = response;
      // A server may have answered before it had read all of a large request, and does not wait for the rest.
      response.once('end', () => {
        if (!request.writableFinished) request.destroy();
      });
    });
    request.on('error', error => {
      // A body that ends with its connection counts as complete once that is closed, even if it has failed.
      if (!this.incoming?.complete) onFailure(error);
    });
    request.once('close', () => {
      if (this.incoming?.complete) return;
      // Node is silent after an unrequested upgrade, for example.
      const where = this.incoming ? 'in the body' : 'without an answer';
      onFailure(Object.assign(new Error(`the connection was closed ${where}`), { code: 'ECONNRESET' }));
    });
  }

  /**
   * Reads a body part by part, decompressed. Unlike node-fetch's own decompression, it fails if a compressed body is incomplete. It
   * does not use the async iterator of the stream, which costs more than a small answer is worth.
   */
  eachPartOf(body: Readable, encoding: string | null | undefined): EachPart {
    return onPart =>
      new Promise((resolve, reject) => {
        const decoder = (this.#decoder = DECODERS.get(encoding?.toLowerCase() ?? '')?.());
        const stream: Readable = decoder ?? body;
        let isEmpty = true;
        if (body.errored) reject(body.errored);
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
    this.#request?.destroy();
    // All of the body may have come already: little of it can become very much.
    this.#decoder?.destroy();
  }

  /** Whether the server closed an idle socket just as it was reused. */
  get hasDiedOnReuse(): boolean {
    return !this.incoming && this.#request?.reusedSocket === true;
  }
}

const DECODERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);
