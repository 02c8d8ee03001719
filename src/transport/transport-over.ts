import {
  asyncScheduler,
  type Observer,
  type SchedulerLike,
  type Subscription,
  type Unsubscribable,
} from 'rxjs';
import { Direct } from '../direct/index.js';
import {
  definedOptions,
  milliseconds,
  positiveInteger,
  schedulerLike,
  TransportError,
  type Options,
} from '../error/index.js';
import { explainFailure } from './explain-failure.js';
import type { AnswerHead, Receiver, Send, SentRequest } from './send.js';
import {
  isRedirectStatus,
  MAX_BODY,
  redirected,
  summaryOf,
  tooLarge,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.js';

declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const TextDecoder: new () => { decode(bytes?: Uint8Array): string };

/** The limits of a body. */
export interface BodyConfig {
  /**
   * The maximum size of a body, in bytes (in characters if the fetch does not stream). Default 8
   * MiB.
   */
  readonly maxBody?: number;
  /** How long the body may take after the headers, in ms, as long as it flows. Default 300,000. */
  readonly bodyTimeout?: number;
  /**
   * How long the body may stand still after its first byte, in ms. Default 15,000. A fetch that
   * does not stream does not show the first byte. Then the timeout of the request covers the whole
   * body instead.
   */
  readonly bodyIdleTimeout?: number;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

/** A check for each option of {@link BodyConfig}. */
export const BODY_OPTIONS: Options<BodyConfig> = {
  maxBody: positiveInteger,
  bodyTimeout: milliseconds,
  bodyIdleTimeout: milliseconds,
  scheduler: schedulerLike,
};

const DEFAULTS: Required<BodyConfig> = {
  maxBody: MAX_BODY,
  bodyTimeout: 300_000,
  bodyIdleTimeout: 15_000,
  scheduler: asyncScheduler,
};

/** Creates a transport over anything that sends requests. */
export function transportOver(send: Send, config: BodyConfig): Transport {
  const limits = { ...DEFAULTS, ...definedOptions(config) };
  return request => new Direct(observer => new OpenRequest(limits, request, observer).begin(send));
}

/** A request that has not been answered yet, or whose answer is arriving. */
class OpenRequest implements Receiver, Unsubscribable {
  readonly #limits: Required<BodyConfig>;
  readonly #request: TransportRequest;
  readonly #observer: Observer<TransportResponse>;
  #sent: SentRequest | undefined;
  #head: AnswerHead | undefined;
  #parts: BodyPart[] | undefined;
  /** The size of the body so far, in bytes. */
  #size = 0;
  #bodyTimer: Subscription | undefined;
  #idleTimer: Subscription | undefined;
  #isOver = false;

  constructor(
    limits: Required<BodyConfig>,
    request: TransportRequest,
    observer: Observer<TransportResponse>,
  ) {
    this.#limits = limits;
    this.#request = request;
    this.#observer = observer;
  }

  begin(send: Send): this {
    const sent = send(this.#request, this);
    // The request may have failed already.
    if (!this.#isOver) this.#sent = sent;
    return this;
  }

  unsubscribe(): void {
    if (this.#isOver) return;
    this.#stop();
    this.#sent?.abort();
  }

  onHead(head: AnswerHead): void {
    if (this.#isOver) return;
    if (isRedirect(head)) return this.#fail(redirected(this.#request));
    this.#head = head;
    const { bodyTimeout, scheduler } = this.#limits;
    this.#bodyTimer = scheduler.schedule(
      () => this.#lose('the body of the answer took too long'),
      bodyTimeout,
    );
  }

  onPart(part: BodyPart): void {
    if (this.#isOver) return;
    try {
      if (this.#add(part)) this.#awaitNextPart();
    } catch (error) {
      this.#fail(error);
    }
  }

  onEnd(text = ''): void {
    if (this.#isOver) return;
    try {
      this.#finish(text);
    } catch (error) {
      this.#fail(error);
    }
  }

  onFailure(error: unknown): void {
    this.#fail(error);
  }

  /** Adds a part of the body. Returns whether the part was not empty. */
  #add(part: BodyPart): boolean {
    // A text is encoded only to count its bytes.
    const bytes = typeof part === 'string' ? new TextEncoder().encode(part) : part;
    if (!ArrayBuffer.isView(bytes)) throw new TypeError('a part of the body is neither bytes nor text');
    if (bytes.byteLength === 0) return false;
    const isFirst = this.#size === 0;
    this.#parts ??= [];
    this.#parts.push(part);
    this.#size += bytes.byteLength;
    if (this.#size > this.#maxBody) throw tooLarge(this.#request);
    if (isFirst) this.#arrive();
    return true;
  }

  #awaitNextPart(): void {
    // The callback of the arrival may have unsubscribed.
    if (this.#isOver) return;
    const { bodyIdleTimeout, scheduler } = this.#limits;
    this.#idleTimer?.unsubscribe();
    this.#idleTimer = scheduler.schedule(() => this.#lose('the body of the answer stalled'), bodyIdleTimeout);
  }

  #finish(text: string): void {
    if (this.#parts) return this.#emit(textOf(this.#parts, this.#size));
    // The fetch has not streamed the body.
    if (text.length > this.#maxBody) throw tooLarge(this.#request);
    this.#arrive();
    this.#emit(withoutMark(text));
  }

  #arrive(): void {
    this.#request.onArrival?.(this.#head!.status);
  }

  #emit(text: string): void {
    if (this.#isOver) return;
    const { status, headers } = this.#head!;
    // The whole body has been read. To abort it would only make fetch throw.
    this.#stop();
    this.#observer.next({ status, headers, text });
    this.#observer.complete();
  }

  get #maxBody(): number {
    return this.#request.maxBody ?? this.#limits.maxBody;
  }

  #lose(message: string): void {
    this.#fail(new TransportError('lost', message, summaryOf(this.#request)));
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.unsubscribe();
    this.#observer.error(explainFailure(error, this.#request));
  }

  #stop(): void {
    this.#isOver = true;
    this.#bodyTimer?.unsubscribe();
    this.#idleTimer?.unsubscribe();
  }
}

/** Whether the answer is a redirect, or the fetch followed one despite `redirect: 'manual'`. */
function isRedirect({ status, type, redirected }: AnswerHead): boolean {
  return type === 'opaqueredirect' || redirected === true || isRedirectStatus(status);
}

/** A custom fetch may deliver text. */
type BodyPart = Uint8Array | string;

/** One decoder for all bodies. Without `stream`, it keeps nothing of a text that it has decoded. */
let decoder: InstanceType<typeof TextDecoder> | undefined;

/**
 * The text of a body. Decoding it whole is several times as fast as decoding a stream of parts.
 */
function textOf(parts: readonly BodyPart[], size: number): string {
  decoder ??= new TextDecoder();
  // A character may be divided between two parts of text.
  if (parts.length === 1 || parts.some(part => typeof part === 'string'))
    return withoutMark(parts.map(part => (typeof part === 'string' ? part : decoder!.decode(part))).join(''));
  const whole = new Uint8Array(size);
  let end = 0;
  for (const part of parts as readonly Uint8Array[]) {
    whole.set(part, end);
    end += part.byteLength;
  }
  return decoder.decode(whole);
}

/**
 * A decoder removes the byte order mark, which JSON does not allow. So do most fetches, but not
 * node-fetch.
 */
function withoutMark(text: string): string {
  return text.replace(/^\ufeff/, '');
}
