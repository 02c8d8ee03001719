import {
  asyncScheduler,
  concat,
  concatMap,
  defer,
  delayWhen,
  EMPTY,
  from,
  NEVER,
  of,
  take,
  throwError,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { InputError, TransportError, type TransportFailure } from '../error/index.js';
import { parsed } from './redaction.js';
import { summaryOf, type Transport, type TransportRequest, type TransportResponse } from './transport.js';
import { RECORDING, type RecordedLine } from './with-recording.js';

/** The options of {@link fromRecording}. */
export interface ReplayConfig {
  /** In whose time to answer. Default: that of the machine; a `VirtualTimeScheduler` replays hours in a moment. */
  readonly scheduler?: SchedulerLike;
}

/** A request of a recording, and what became of it. */
interface Exchange {
  readonly sent: Extract<RecordedLine, { readonly kind: 'request' }>;
  readonly lines: RecordedLine[];
}

/**
 * A transport that answers as the service did when a recording was made by `withRecording`: each request gets the answer of the
 * first recorded one that is left with the same method, path and query, after the same time. Tokens, bodies and the base URL may
 * differ. What was aborted, or not answered before the recording ended, is never answered; nor is a poll after its last one.
 *
 * A request that was not recorded ends with a `TransportError` whose reason is `not_sent`. Throws an `InputError` if `recording` is
 * none, or has a line that cannot be read, unless that is the last one.
 *
 * @example
 * const transport = fromRecording(readFileSync('bug.ndjson', 'utf8'), { scheduler });
 * const feed = createClient({ url, token, transport, scheduler, random: () => 0.5 }).events.feed;
 */
export function fromRecording(
  recording: string,
  { scheduler = asyncScheduler }: ReplayConfig = {},
): Transport {
  const left = exchangesIn(recording);
  return request =>
    defer(() => {
      const { method, url, kind } = request;
      const exchange = left.find(({ sent }) => sent.method === method && isSameTarget(sent.url, url));
      if (exchange) {
        left.splice(left.indexOf(exchange), 1);
        return replay(exchange, request, scheduler);
      }
      const wasPolled = kind === 'poll' && !left.some(({ sent }) => sent.poll && isSamePath(sent.url, url));
      if (wasPolled) return NEVER;
      const message = 'the recording has no such request that is left';
      return throwError(() => new TransportError('not_sent', message, summaryOf(request)));
    });
}

/** Says again what became of a request, after the same time. */
function replay(
  { sent, lines }: Exchange,
  request: TransportRequest,
  scheduler: SchedulerLike,
): Observable<TransportResponse> {
  return concat(from(lines), NEVER).pipe(
    delayWhen(({ at }) => timer(Math.max(0, at - sent.at), scheduler)),
    concatMap(line => {
      if (line.kind === 'arrival') request.onArrival?.(line.status);
      if (line.kind === 'failure') {
        const reason = line.reason as TransportFailure;
        return throwError(() => new TransportError(reason, line.message, summaryOf(request)));
      }
      if (line.kind !== 'answer') return EMPTY;
      const { status, headers, text } = line;
      return of({ status, headers: { get: (name: string) => headers[name.toLowerCase()] ?? null }, text });
    }),
    take(1),
  );
}

/** The requests of a recording, in their order. */
function exchangesIn(recording: string): Exchange[] {
  const [first = '', ...rest] = recording.split('\n').filter(line => line.trim() !== '');
  const head = Object(parsed(first)) as Partial<typeof RECORDING>;
  if (head.recording !== RECORDING.recording || head.version !== RECORDING.version) {
    const expected = `a recording of withRecording, of version ${RECORDING.version}`;
    throw new InputError('recording', expected, first.slice(0, 80));
  }
  const exchanges = new Map<number, Exchange>();
  rest.forEach((text, i) => {
    const line = parsed(text) as RecordedLine | null | undefined;
    if (line?.kind === 'request') exchanges.set(line.id, { sent: line, lines: [] });
    else if (line) exchanges.get(line.id)?.lines.push(line);
    // The process that wrote the last one may have ended meanwhile.
    else if (i < rest.length - 1)
      throw new InputError('recording', 'JSON in each of its lines', `line ${i + 2}: ${text.slice(0, 80)}`);
  });
  return [...exchanges.values()];
}

function isSameTarget(recorded: string, requested: string): boolean {
  return partsOf(recorded).query === partsOf(requested).query && isSamePath(recorded, requested);
}

/** Whether two paths are the same but for that of the base URL. */
function isSamePath(recorded: string, requested: string): boolean {
  const [a, b] = [partsOf(recorded).path, partsOf(requested).path];
  return a.endsWith(b) || b.endsWith(a);
}

function partsOf(url: string) {
  const [, path = '', query = ''] = /^(?:\w+:\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?/.exec(url) ?? [];
  return { path, query };
}
