import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { AnswerHead, Receiver, Send, SentRequest } from '../send.js';
import type { TransportRequest } from '../transport.js';
import { dropIdleSockets, type AgentOf } from './agents.js';

/** A request as it is started in Node. */
export interface RequestOptions {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string | undefined;
  readonly agent: Agent;
}

/** The answer to a request that is hidden from what has started it. */
export interface HiddenAnswer extends AnswerHead {
  readonly body: Readable;
}

/**
 * Starts a request, and returns Node's request, which the caller follows. If that is hidden, it
 * returns the answer, and `signal` gives the only way to abort. What it throws or rejects with is
 * why nothing was sent.
 */
export type StartRequest = (
  options: RequestOptions,
  signal: () => AbortSignal,
) => ClientRequest | Promise<HiddenAnswer>;

/** Sends in Node: with sockets of these agents, however a request is started. */
export function sendInNode(agentFor: AgentOf, start: StartRequest): Send {
  return (request, receiver) => new Exchange(agentFor, start, request, receiver).begin();
}

/**
 * One request in Node and its answer, from the moment when the request is started.
 *
 * Only a GET may reuse a socket. It is sent once more, on a new socket, if the server closed an
 * idle one just as it was reused. The server may have read the request, but a GET can safely be
 * repeated. Browsers retry in this case, too.
 */
class Exchange implements SentRequest {
  readonly #agentFor: AgentOf;
  readonly #start: StartRequest;
  readonly #request: TransportRequest;
  readonly #receiver: Receiver;
  /** Aborts what cannot be followed. */
  #controller: AbortController | undefined;
  #outgoing: ClientRequest | undefined;
  #incoming: IncomingMessage | undefined;
  #decoder: Transform | undefined;
  #sentAt = 0;
  #isAborted = false;

  constructor(agentFor: AgentOf, start: StartRequest, request: TransportRequest, receiver: Receiver) {
    this.#agentFor = agentFor;
    this.#start = start;
    this.#request = request;
    this.#receiver = receiver;
  }

  begin(mayReuse = this.#request.method === 'GET'): this {
    try {
      const { url, method, body, needsFreshConnection } = this.#request;
      const agent = this.#agentFor(url, mayReuse);
      if (needsFreshConnection) dropIdleSockets(agent, url);
      const headers = headersOf(this.#request);
      const started = this.#start({ url, method, headers, body, agent }, () => this.#signal());
      if ('then' in started) void this.#readHidden(started);
      else this.#follow(started);
    } catch (error) {
      this.#fail(error);
    }
    return this;
  }

  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
    this.#outgoing?.destroy();
    // All of the body may have come already: little of it can become very much.
    this.#decoder?.destroy();
  }

  /**
   * Follows a request to the end of its answer. Fails with Node's own error, which says more than
   * that of a fetch, or if the connection ends before the answer does, which Node does not report
   * in every case.
   */
  #follow(request: ClientRequest): void {
    this.#outgoing = request;
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
  async #readHidden(answered: Promise<HiddenAnswer>): Promise<void> {
    try {
      const { status, headers, body } = await answered;
      if (this.#isAborted) return;
      this.#receiver.onHead({ status, headers });
      this.#read(body, headers.get('content-encoding'));
    } catch (error) {
      this.#fail(error);
    }
  }

  #signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /**
   * Reads a body part by part, decompressed. Unlike node-fetch's own decompression, it fails if a
   * compressed body is incomplete. It does not use the async iterator of the stream, which costs
   * more than a small answer is worth.
   */
  #read(body: Readable, encoding: string | null | undefined): void {
    if (this.#isAborted) return;
    if (body.errored) return this.#receiver.onFailure(body.errored);
    // node-fetch has begun to read it, and it was empty.
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
    // What node-fetch has begun to read does not go on by itself.
    stream.resume();
    if (!decoder) return;
    body.once('data', () => {
      isEmpty = false;
    });
    // Compressed data may end before its connection does, which would stay open then.
    decoder.once('end', () => {
      if (!body.readableEnded) this.#outgoing?.destroy();
    });
    pipeline(body, decoder, () => undefined);
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
    return this.#outgoing === request && !this.#incoming?.complete;
  }

  #fail(error: unknown): void {
    if (!this.#isAborted && this.#hasDiedOnReuse) {
      this.#outgoing = undefined;
      this.begin(false);
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
    const isReused = !this.#incoming && this.#outgoing?.reusedSocket === true;
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

/**
 * The headers of a request. No cache answers a GET, and none lets it wait for an open one to the
 * same URL. A proxy may refuse what has no user agent.
 */
function headersOf({ method, headers, body }: TransportRequest): Readonly<Record<string, string | number>> {
  // A spread that adds a name would cost each request a separate hidden class in Node 20.
  return Object.assign(
    { accept: '*/*', 'accept-encoding': 'gzip', 'user-agent': 'lobby-rx' },
    method === 'GET' && { 'cache-control': 'no-cache' },
    headers,
    // Of some methods Node would send a body without its length, which servers take for another
    // request.
    body !== undefined && { 'content-length': Buffer.byteLength(body) },
  );
}
