import { asyncScheduler, Observable, type SchedulerLike, type Subscription } from 'rxjs';
import {
  milliseconds,
  positiveInteger,
  schedulerLike,
  TransportError,
  type Options,
} from '../error/index.js';
import { explainFailure } from './explain-failure.js';
import type { EachPart, Send, SentResponse } from './fetch-like.js';
import {
  MAX_BODY,
  redirected,
  summaryOf,
  tooLarge,
  type Transport,
  type TransportRequest,
} from './transport.js';

declare const TextDecoder: new () => { decode(bytes?: Uint8Array): string };
declare const TextEncoder: new () => { encode(text: string): Uint8Array };

/** The limits of a body. */
export interface BodyConfig {
  /** The maximum size of a body, in bytes (in characters if the fetch does not stream). Default 8 MiB. */
  readonly maxBody?: number;
  /** How long the body may take after the headers, in ms, as long as it flows. Default 300,000. */
  readonly bodyTimeout?: number;
  /**
   * How long no part of the body may arrive after its first byte, in ms. Default 15,000. A fetch that does not stream does not show
   * when that is: then the timeout of the request covers the whole body instead.
   */
  readonly bodyIdleTimeout?: number;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

/** What {@link BodyConfig} requires. */
export const BODY_OPTIONS: Options<BodyConfig> = {
  maxBody: positiveInteger,
  bodyTimeout: milliseconds,
  bodyIdleTimeout: milliseconds,
  scheduler: schedulerLike,
};

/** Creates a transport over anything that sends requests. */
export function transportOver(send: Send, config: BodyConfig): Transport {
  const {
    maxBody: ownMaxBody = MAX_BODY,
    bodyTimeout = 300_000,
    bodyIdleTimeout = 15_000,
    scheduler = asyncScheduler,
  } = config;
  return request =>
    new Observable(subscriber => {
      const { method, url, headers, body, needsFreshConnection, keepalive } = request;
      const { maxBody = ownMaxBody } = request;
      const sent = send(url, {
        ...{ method, headers, redirect: 'manual', credentials: 'omit' },
        ...(body !== undefined && { body }),
        ...(needsFreshConnection && { needsFreshConnection }),
        ...(keepalive && { keepalive }),
      });
      let isRead = false;
      subscriber.add(() => {
        // What has been read needs no abort, which costs an exception.
        if (!isRead) sent.abort();
      });
      const fail = (error: unknown) => {
        if (!subscriber.closed) subscriber.error(explainFailure(error, request));
      };
      const stall = () =>
        fail(new TransportError('lost', 'the body of the answer stalled', summaryOf(request)));
      const receive = (response: SentResponse) => {
        if (subscriber.closed) return;
        if (isRedirect(response)) throw redirected(request);
        const { status, headers } = response;
        subscriber.add(scheduler.schedule(stall, bodyTimeout));
        let silence: Subscription | undefined;
        const onPart = () => {
          if (silence) silence.unsubscribe();
          else request.onArrival?.(status);
          silence = scheduler.schedule(stall, bodyIdleTimeout);
          subscriber.add(silence);
          if (subscriber.closed) throw new Error('the rest of the body is not read');
        };
        return readBody(response, { ...request, maxBody }, onPart).then(text => {
          isRead = true;
          if (!silence) request.onArrival?.(status);
          subscriber.next({ status, headers, text });
          subscriber.complete();
        });
      };
      sent.response.then(receive).then(undefined, fail);
    });
}

/** Whether the answer is a redirect, or the fetch followed one despite `redirect: 'manual'`. */
function isRedirect({ status, type, redirected }: SentResponse): boolean {
  if (type === 'opaqueredirect' || redirected === true) return true;
  return status >= 300 && status < 400 && status !== 304;
}

/** Reads a body as text, up to a size, regardless of its Content-Length. Calls `onPart` for each part of a body that streams. */
async function readBody(
  response: SentResponse,
  request: TransportRequest & { readonly maxBody: number },
  onPart: () => void,
): Promise<string> {
  const eachPart = response.eachPart ?? eachPartOf(response.body);
  if (!eachPart) {
    const text = (await response.text?.()) ?? '';
    if (text.length > request.maxBody) throw tooLarge(request);
    return withoutMark(text);
  }
  const parts: BodyPart[] = [];
  let size = 0;
  await eachPart(part => {
    const bytes = typeof part === 'string' ? new TextEncoder().encode(part) : part;
    if (!ArrayBuffer.isView(bytes)) throw new TypeError('a part of the body is neither bytes nor text');
    if (bytes.byteLength === 0) return;
    size += bytes.byteLength;
    if (size > request.maxBody) throw tooLarge(request);
    parts.push(part);
    onPart();
  });
  return textOf(parts, size);
}

/** A fetch of the caller's may deliver text. */
type BodyPart = Uint8Array | string;

/** The text of a body. Whole ones are decoded several times as fast as a stream of parts. */
function textOf(parts: readonly BodyPart[], size: number): string {
  decoder ??= new TextDecoder();
  if (parts.some(part => typeof part === 'string'))
    return withoutMark(parts.map(part => (typeof part === 'string' ? part : decoder!.decode(part))).join(''));
  const bytes = parts as readonly Uint8Array[];
  if (bytes.length < 2) return decoder.decode(bytes[0]);
  const body = new Uint8Array(size);
  let end = 0;
  for (const part of bytes) {
    body.set(part, end);
    end += part.byteLength;
  }
  return decoder.decode(body);
}

/** One for all: without `stream`, it keeps nothing of what it has decoded. */
let decoder: InstanceType<typeof TextDecoder> | undefined;

/** A decoder removes the byte order mark, which JSON does not allow. So do most fetches, but not node-fetch. */
function withoutMark(text: string): string {
  return text.replace(/^\ufeff/, '');
}

/** Reads a body that streams. It has a reader, or, like that of node-fetch, an iterator. */
function eachPartOf(body: unknown): EachPart | undefined {
  const streamed = body as {
    getReader?(): { read(): Promise<IteratorResult<BodyPart>> };
    [Symbol.asyncIterator]?(): AsyncIterator<BodyPart>;
  } | null;
  const reader = streamed?.getReader?.();
  const iterator = reader ? undefined : streamed?.[Symbol.asyncIterator]?.();
  const read = reader ? () => reader.read() : iterator && (() => iterator.next());
  if (!read) return undefined;
  return async onPart => {
    for (let part = await read(); !part.done; part = await read()) onPart(part.value);
  };
}
