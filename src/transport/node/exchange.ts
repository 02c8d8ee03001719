import type { ClientRequest, IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { AnswerHead, Receiver, Send, SentRequest } from '../send.js';

/** The options of a request. */
export type SendInit = Parameters<Send>[1];

/**
 * Starts a request: what it throws, or rejects with, is why nothing was sent. It gives the exchange
 * the request of Node's, with `follow`; or, where that is hidden from it, the answer, with
 * `readHidden`.
 */
export type StartRequest = (
  exchange: Exchange,
  url: string,
  init: SendInit,
  mayReuse: boolean,
) => Promise<void> | undefined;

/**
 * One request in Node and its answer, from the moment when the request is started.
 *
 * A GET is sent once more, on a new socket, if the server closed an idle one just as it was reused.
 * It may have read the request, but a GET can safely be repeated. Browsers retry in this case, too.
 */
export class Exchange implements SentRequest {
  readonly #start: StartRequest;
  readonly #url: string;
  readonly #init: SendInit;
  readonly #receiver: Receiver;
  /** Aborts what {@link follow} does not get. */
  #controller: AbortController | undefined;
  #request: ClientRequest | undefined;
  #incoming: IncomingMessage | undefined;
  #decoder: Transform | undefined;
  #sentAt = 0;
  #isAborted = false;

  constructor(start: StartRequest, url: string, init: SendInit, receiver: Receiver) {
    this.#start = start;
    this.#url = url;
    this.#init = init;
    this.#receiver = receiver;
  }

  /** Sends with Node. Only a GET may reuse a socket. */
  static sendBy(start: StartRequest): Send {
    return (url, init, receiver) => {
      const exchange = new Exchange(start, url, init, receiver);
      exchange.#begin(init.method === 'GET');
      return exchange;
    };
  }

  /** A signal for what cannot be followed. */
  signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
    this.#request?.destroy();
    // All of the body may have come already: little of it can become very much.
    this.#decoder?.destroy();
  }

  /**
   * Follows a request to the end of its answer. Fails with Node's own error, which says more than
   * that of a fetch, or if the connection ends before the answer does, which Node does not report
   * in every case.
   */
  follow(request: ClientRequest): void {
    this.#request = request;
    // Each comes once; `once` would hold four times as much for it.
    request.on('socket', () => {
      // A request may have waited for its socket.
      this.#sentAt = performance.now();
    });
    request.on('response', incoming => this.#respond(request, incoming));
    request.on('error', error => {
      // What follows a complete answer is no part of it. One that ends with its connection is
      // complete once that is closed.
      if (this.#isCurrent(request)) this.#fail(error);
    });
    request.on('close', () => {
      if (!this.#isCurrent(request)) return;
      // Node is silent after an unrequested upgrade, for example.
      const where = this.#incoming ? 'in the body' : 'without an answer';
      const error = new Error(`the connection was closed ${where}`);
      this.#fail(Object.assign(error, { code: 'ECONNRESET' }));
    });
  }

  /** Takes an answer whose request cannot be followed. */
  readHidden(head: AnswerHead, body: Readable): void {
    if (this.#isAborted) return;
    this.#receiver.onHead(head);
    this.#read(body, head.headers.get('content-encoding'));
  }

  /**
   * Reads a body part by part, decompressed. Unlike node-fetch's own decompression, it fails if a
   * compressed body is incomplete. It does not use the async iterator of the stream, which costs
   * more than a small answer is worth.
   */
  #read(body: Readable, encoding: string | null | undefined): void {
    if (this.#isAborted) return;
    if (body.errored) return this.#receiver.onFailure(body.errored);
    // node-fetch had begun to read it.
    if (body.readableEnded) return this.#receiver.onEnd();
    const decoder = DECODERS.get(encoding?.toLowerCase() ?? '')?.();
    this.#decoder = decoder;
    const stream: Readable = decoder ?? body;
    let isEmpty = true;
    stream.on('data', (part: Uint8Array) => this.#receiver.onPart(part));
    stream.once('end', () => this.#receiver.onEnd());
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // Servers send no compressed form of an empty body, only its header.
      if (isEmpty && error.code === 'Z_BUF_ERROR') this.#receiver.onEnd();
      else this.#receiver.onFailure(error);
    });
    // Nor does it flow by itself then.
    stream.resume();
    if (!decoder) return;
    body.once('data', () => {
      isEmpty = false;
    });
    // Compressed data may end before its connection does, which would stay open then.
    decoder.once('end', () => {
      if (!body.readableEnded) this.#request?.destroy();
    });
    pipeline(body, decoder, () => undefined);
  }

  #begin(mayReuse: boolean): void {
    try {
      this.#start(this, this.#url, this.#init, mayReuse)?.then(undefined, (error: unknown) =>
        this.#fail(error),
      );
    } catch (error) {
      this.#fail(error);
    }
  }

  #respond(request: ClientRequest, incoming: IncomingMessage): void {
    this.#incoming = incoming;
    // A server may have answered before it had read all of a large request, and does not wait for
    // the rest.
    incoming.once('end', () => {
      if (!request.writableFinished) request.destroy();
    });
    const { headers } = incoming;
    const get = (name: string) => {
      const key = name.toLowerCase();
      const value = Object.hasOwn(headers, key) ? headers[key] : undefined;
      return (Array.isArray(value) ? value.join(', ') : value) ?? null;
    };
    this.#receiver.onHead({ status: incoming.statusCode!, headers: { get } });
    this.#read(incoming, get('content-encoding'));
  }

  /**
   * Whether an answer is still expected of a request: it has not come, and no other one was sent
   * instead.
   */
  #isCurrent(request: ClientRequest): boolean {
    return this.#request === request && !this.#incoming?.complete;
  }

  #fail(error: unknown): void {
    if (!this.#isAborted && this.#hasDiedOnReuse) {
      this.#request = undefined;
      this.#begin(false);
      return;
    }
    this.#receiver.onFailure(error);
    this.#incoming?.destroy(error as Error);
  }

  /**
   * Whether the server closed an idle socket just as it was reused, and not later, when it had the
   * request.
   */
  get #hasDiedOnReuse(): boolean {
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
