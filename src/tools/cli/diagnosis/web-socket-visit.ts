import { createHash, randomBytes } from 'node:crypto';
import { request as requestHttp, type IncomingHttpHeaders } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import {
  asyncScheduler,
  concat,
  defer,
  ignoreElements,
  map,
  merge,
  Observable,
  of,
  switchMap,
  take,
  tap,
  timeout,
  timer,
  type SchedulerLike,
} from 'rxjs';
import { PLAYER_PROTOCOL } from '../../../player/index.js';
import { monotonicClock } from '../../../stream/index.js';

/** An HTTP answer, in place of a WebSocket. */
export interface NotOpened {
  readonly kind: 'not_opened';
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A WebSocket that was opened, and what its server did then. */
export interface Opened extends Ending {
  readonly kind: 'opened';
  /** Whether the answer to the handshake is that of a WebSocket server. */
  readonly isWebSocket: boolean;
  /** Whether the server has chosen the protocol of `lobbyConnection`. */
  readonly hasProtocol: boolean;
  /** How many parts were sent before the end. */
  readonly sent: number;
}

/** The end of a conversation. */
interface Ending {
  /** `broken` is an end without a close frame. */
  readonly end: 'close' | 'message' | 'broken' | 'silence';
  /** The code of the close frame, 1005 if it has none, and 1006 without a close frame. */
  readonly code: number;
  /** The text of the close frame. */
  readonly text: string;
}

/** What is said to a server of WebSockets. */
export interface VisitConfig {
  readonly origin?: string | undefined;
  /** Frames. Each part is sent if the server has said nothing so far. */
  readonly parts: readonly Buffer[];
  readonly scheduler?: SchedulerLike | undefined;
}

/** How long the handshake may take, in ms. */
const HANDSHAKE_MS = 15_000;
/** How long the body of an HTTP answer is read, in ms. A stream of events has no end. */
const BODY_MS = 2_000;
/** How long to wait before each part, in ms, beside the way there and back. */
const PATIENCE_MS = 1_000;
/** How long to wait for an answer to the last part, in ms. A gate waits for a token for 5 s. */
const LAST_MS = 8_000;
/** How many bytes of an answer are read. */
const MAX_BYTES = 65_536;
/** What a server adds to the key of a handshake (RFC 6455, 1.3). */
const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

const OPCODE = { text: 1, binary: 2, close: 8 } as const;

/**
 * Opens a WebSocket as `lobbyConnection` does, and emits how it ended, once. A `WebSocket` of the
 * platform would hide the HTTP answer, and sends no message in pieces. Fails with an error like
 * those of fetch.
 */
export function visitWebSocket(
  url: URL,
  { origin, parts, scheduler = asyncScheduler }: VisitConfig,
): Observable<NotOpened | Opened> {
  return defer(() => {
    const clock = monotonicClock(scheduler);
    const startedAt = clock.now();
    return handshake(url, origin, scheduler).pipe(
      timeout({ first: HANDSHAKE_MS, scheduler }),
      switchMap(answer => {
        if (answer.kind === 'not_opened') return of(answer);
        const { socket, head, ...about } = answer;
        const patience = PATIENCE_MS + clock.now() - startedAt;
        return conversation(socket, head, { parts, patience, scheduler }).pipe(
          map(ending => ({ ...about, ...ending })),
        );
      }),
      take(1),
    );
  });
}

interface Handshake extends Pick<Opened, 'kind' | 'isWebSocket' | 'hasProtocol'> {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Emits the answer. Ends the connection when it is unsubscribed from, and not before. */
function handshake(
  url: URL,
  origin: string | undefined,
  scheduler: SchedulerLike,
): Observable<NotOpened | Handshake> {
  return new Observable(subscriber => {
    const key = randomBytes(16).toString('base64');
    const isSecure = url.protocol === 'wss:';
    const target = url.href.replace(/^ws/, 'http');
    const request = (isSecure ? requestHttps : requestHttp)(target, {
      agent: false,
      headers: {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': key,
        'Sec-WebSocket-Protocol': PLAYER_PROTOCOL,
        ...(origin !== undefined && { Origin: origin }),
      },
    });
    request.on('error', cause => subscriber.error(new TypeError('no connection', { cause })));
    request.on('response', response => {
      const { statusCode: status = 0 } = response;
      let text = '';
      const end = () =>
        subscriber.next({ kind: 'not_opened', status, headers: headersOf(response.headers), text });
      response.setEncoding('utf8').on('data', (part: string) => {
        if (text.length < MAX_BYTES) text += part;
      });
      // `close` follows.
      response.on('error', () => undefined);
      response.on('close', end);
      subscriber.add(timer(BODY_MS, scheduler).subscribe(end));
    });
    request.on('upgrade', ({ headers }, socket, head) => {
      const accept = createHash('sha1')
        .update(key + KEY_SUFFIX)
        .digest('base64');
      subscriber.add(() => socket.destroy());
      subscriber.next({
        kind: 'opened',
        isWebSocket: headers['sec-websocket-accept'] === accept,
        hasProtocol: headers['sec-websocket-protocol'] === PLAYER_PROTOCOL,
        socket,
        head,
      });
    });
    request.end();
    return () => request.destroy();
  });
}

function headersOf(raw: IncomingHttpHeaders): Headers {
  return new Headers(Object.entries(raw).map(([name, value]): [string, string] => [name, String(value)]));
}

interface Schedule extends Required<Pick<VisitConfig, 'parts' | 'scheduler'>> {
  readonly patience: number;
}

/** Sends the parts one after another, until the server says something. */
function conversation(
  socket: Duplex,
  head: Buffer,
  { parts, patience, scheduler }: Schedule,
): Observable<Ending & Pick<Opened, 'sent'>> {
  let sent = 0;
  const send = (part: Buffer) => {
    sent++;
    socket.write(part);
  };
  const sends = parts.map(part =>
    timer(patience, scheduler).pipe(
      tap(() => send(part)),
      ignoreElements(),
    ),
  );
  const silence$ = timer(LAST_MS, scheduler).pipe(
    map((): Ending => ({ end: 'silence', code: 1006, text: '' })),
  );
  return merge(endingOf(socket, head), concat(...sends, silence$)).pipe(
    take(1),
    map(ending => ({ ...ending, sent })),
  );
}

/** Emits the first message or the end of a connection. */
function endingOf(socket: Duplex, head: Buffer): Observable<Ending> {
  return new Observable(subscriber => {
    let bytes = Buffer.alloc(0);
    const end = (ending: Ending) => subscriber.next(ending);
    const receive = (more: Buffer) => {
      bytes = Buffer.concat([bytes, more]);
      let frame = frameIn(bytes);
      while (frame) {
        const { opcode, content } = frame;
        bytes = bytes.subarray(frame.length);
        frame = frameIn(bytes);
        if (opcode === OPCODE.text || opcode === OPCODE.binary) end({ end: 'message', code: 1006, text: '' });
        if (opcode === OPCODE.close)
          end({
            end: 'close',
            code: content.length < 2 ? 1005 : content.readUInt16BE(),
            text: content.subarray(2).toString(),
          });
      }
    };
    socket.on('data', receive);
    // `close` follows.
    socket.on('error', () => undefined);
    socket.on('close', () => end({ end: 'broken', code: 1006, text: '' }));
    receive(head);
  });
}

interface Frame {
  readonly opcode: number;
  readonly content: Buffer;
  /** The length with its header. */
  readonly length: number;
}

/**
 * The frame at the beginning of these bytes, if it is whole. Servers do not mask frames. A close
 * frame and a ping are short (RFC 6455, 5.5), so that of a longer one only its kind counts.
 */
function frameIn(bytes: Buffer): Frame | undefined {
  if (bytes.length < 2) return undefined;
  const size = bytes.readUInt8(1);
  const length = size < 126 ? 2 + size : bytes.length;
  if (bytes.length < length) return undefined;
  return { opcode: bytes.readUInt8(0) & 0x0f, content: bytes.subarray(2, length), length };
}

/**
 * A frame of a text message, or of a piece of one, of fewer than 126 bytes. The mask of zeros
 * leaves it as it is.
 */
export function textFrame(text: string, { isFirst = true, isLast = true } = {}): Buffer {
  const content = Buffer.from(text);
  const first = (isLast ? 0x80 : 0) + (isFirst ? OPCODE.text : 0);
  return Buffer.concat([Buffer.from([first, 0x80 + content.length, 0, 0, 0, 0]), content]);
}
