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
import {
  checkArgument,
  checkOptions,
  InputError,
  plainObject,
  tryOr,
  schedulerLike,
  TransportError,
  type Guard,
  type Options,
  type TransportFailure,
} from '../../../error/index.js';
import {
  summaryOf,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../../../transport/index.js';
import { HEADERS, isSegment, partsOf } from './kept.js';
import { RECORDING, type RecordedLine } from './with-recording.js';

/** The options of {@link fromRecording}. */
export interface ReplayConfig {
  /**
   * In whose time to answer. Default: that of the machine; a `VirtualTimeScheduler` replays hours
   * in a moment.
   */
  readonly scheduler?: SchedulerLike;
}

const OPTIONS: Options<ReplayConfig> = { scheduler: schedulerLike };

/** A request of a recording, and what became of it. */
interface Exchange {
  readonly sent: Extract<RecordedLine, { readonly kind: 'request' }>;
  readonly lines: RecordedLine[];
}

/**
 * A transport that answers as the service did when a recording was made by `withRecording`: each
 * request gets the answer of the first recorded one that is left with the same method, shape of
 * path and names of the query, after the same time. Tokens, ids, bodies and the base URL may
 * differ; of several groups, each is one of the recorded ones. What was aborted, or not answered
 * before the recording ended, is never answered; nor is a poll after its last one.
 *
 * A request that was not recorded ends with a `TransportError` whose reason is `not_sent`. Throws
 * an `InputError` if `recording` is none, or has a line that cannot be read, unless that is the
 * last one.
 *
 * @example
 * const transport = fromRecording(readFileSync('bug.ndjson', 'utf8'), { scheduler });
 * const feed = createClient({ url, token, transport, scheduler, random: () => 0.5 }).events.feed;
 */
export function fromRecording(recording: string, config: ReplayConfig = {}): Transport {
  checkOptions(config, OPTIONS);
  const { scheduler = asyncScheduler } = config;
  const left = exchangesIn(recording);
  const ids = new SameIds();
  return request =>
    defer(() => {
      const { method, url, kind } = request;
      const isAlike = ({ sent }: Exchange) => sent.method === method && ids.areSame(sent.url, url);
      const exchange = left.find(one => isAlike(one) && namesIn(one.sent.url) === namesIn(url));
      if (exchange) {
        left.splice(left.indexOf(exchange), 1);
        ids.bind(exchange.sent.url, url);
        return replay(exchange, request, scheduler);
      }
      if (kind === 'poll' && !left.some(one => one.sent.poll && isAlike(one))) return NEVER;
      const message = 'the recording has no such request that is left';
      return throwError(() => new TransportError('not_sent', message, summaryOf(request)));
    });
}

/** Which id of a request is which of the recording. */
class SameIds {
  readonly #recordedOf = new Map<string, string>();
  readonly #taken = new Set<string>();

  /**
   * Whether two paths are the same but for that of the base URL, and for ids that may be the same.
   */
  areSame(recorded: string, requested: string): boolean {
    return pairsOf(recorded, requested).every(([one, other]) => {
      if (isSegment(one) || isSegment(other)) return one === other;
      return this.#recordedOf.get(other) === one || (!this.#recordedOf.has(other) && !this.#taken.has(one));
    });
  }

  bind(recorded: string, requested: string): void {
    for (const [one, other] of pairsOf(recorded, requested)) {
      if (isSegment(one)) continue;
      this.#recordedOf.set(other, one);
      this.#taken.add(one);
    }
  }
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
        return throwError(() => new TransportError(reason, 'as in the recording', summaryOf(request)));
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
  const lines = checkArgument('recording', aText, recording)
    .replace(/^\ufeff/, '')
    .split('\n');
  const [first = '', ...rest] = lines.filter(line => line.trim() !== '');
  const head = Object(parsed(first)) as Partial<typeof RECORDING>;
  if (head.recording !== RECORDING.recording || head.version !== RECORDING.version) {
    const expected = `a recording of withRecording, of version ${RECORDING.version}`;
    throw new InputError('recording', expected, 'another text');
  }
  const exchanges = new Map<number, Exchange>();
  rest.forEach((text, i) => {
    const line = parsed(text);
    if (isLine(line)) {
      if (line.kind === 'request') exchanges.set(line.id, { sent: line, lines: [] });
      else exchanges.get(line.id)?.lines.push(line);
    }
    // The process that wrote the last one may have ended meanwhile.
    else if (line !== undefined || i < rest.length - 1)
      throw new InputError('recording', 'lines as withRecording writes them', `another one, line ${i + 2}`);
  });
  return [...exchanges.values()];
}

const aText: Guard<string> = { name: 'a text', is: u => typeof u === 'string' };

/** What a server may send as a header. */
const HEADER = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A recording may have been edited. */
function isLine(u: unknown): u is RecordedLine {
  if (!plainObject.is(u) || !Number.isFinite(u.at) || !Number.isSafeInteger(u.id)) return false;
  const { kind, status, headers } = u;
  const hasStatus = Number.isInteger(status) && (status as number) >= 200 && (status as number) <= 599;
  switch (kind) {
    case 'request':
      return aText.is(u.method) && aText.is(u.url);
    case 'arrival':
      return hasStatus;
    case 'answer':
      return (
        hasStatus &&
        aText.is(u.text) &&
        plainObject.is(headers) &&
        Object.entries(headers).every(
          ([name, value]) => name in HEADERS && aText.is(value) && HEADER.test(value),
        )
      );
    case 'failure':
      return aText.is(u.reason);
    default:
      return kind === 'abort';
  }
}

/** The segments of two paths, from the last one on, as far as the shorter path goes. */
function pairsOf(recorded: string, requested: string): (readonly [recorded: string, requested: string])[] {
  const [one, other] = [segmentsOf(recorded), segmentsOf(requested)];
  return one.slice(0, other.length).map((segment, i) => [segment, other[i]!] as const);
}

function segmentsOf(url: string): string[] {
  return partsOf(url).path.split('/').filter(Boolean).reverse();
}

/** The names of a query, in order. */
function namesIn(url: string): string {
  return partsOf(url)
    .query.split('&')
    .map(parameter => parameter.split('=')[0])
    .sort()
    .join();
}

function parsed(text: string): unknown {
  return tryOr(() => JSON.parse(text) as unknown, undefined);
}
