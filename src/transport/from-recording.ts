import { asyncScheduler, NEVER, Observable, type SchedulerLike } from 'rxjs';
import { InputError, plainObject, TransportError, type TransportFailure } from '../error/index.js';
import { summaryOf, type Transport, type TransportRequest } from './transport.js';
import { RECORDING, type RecordedLine } from './with-recording.js';

/** The options of {@link fromRecording}. */
export interface ReplayConfig {
  /** In whose time to answer. Default: that of the machine; a `VirtualTimeScheduler` replays hours in a moment. */
  readonly scheduler?: SchedulerLike;
}

type LineOf<K extends RecordedLine['kind']> = Extract<RecordedLine, { readonly kind: K }>;

/** A request of a recording, and what became of it. */
interface Exchange {
  readonly sent: LineOf<'request'>;
  arrival?: LineOf<'arrival'>;
  end?: LineOf<'answer' | 'failure' | 'abort'>;
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
    new Observable(subscriber => {
      const { method, url, kind } = request;
      const exchange = left.find(({ sent }) => sent.method === method && isSameTarget(sent.url, url));
      if (!exchange) {
        const wasPolled = kind === 'poll' && !left.some(({ sent }) => sent.poll && isSamePath(sent.url, url));
        if (wasPolled) return NEVER.subscribe(subscriber);
        const message = 'the recording has no such request that is left';
        subscriber.error(new TransportError('not_sent', message, summaryOf(request)));
        return undefined;
      }
      left.splice(left.indexOf(exchange), 1);
      const { sent, arrival, end } = exchange;
      const after = (line: RecordedLine, act: () => void) =>
        subscriber.add(scheduler.schedule(act, Math.max(0, line.at - sent.at)));
      if (arrival) after(arrival, () => request.onArrival?.(arrival.status));
      if (end?.kind === 'answer') {
        after(end, () => {
          const get = (name: string) => end.headers[name.toLowerCase()] ?? null;
          subscriber.next({ status: end.status, headers: { get }, text: end.text });
          subscriber.complete();
        });
      }
      if (end?.kind === 'failure') after(end, () => subscriber.error(failureOf(end, request)));
      return undefined;
    });
}

function failureOf({ reason, message }: LineOf<'failure'>, request: TransportRequest): TransportError {
  return new TransportError(reason as TransportFailure, message, summaryOf(request));
}

/** The requests of a recording, in their order. */
function exchangesIn(recording: string): Exchange[] {
  const [first = '', ...rest] = recording.split('\n').filter(line => line.trim() !== '');
  const head = parsed(first);
  if (head?.recording !== RECORDING.recording || head.version !== RECORDING.version)
    throw new InputError(
      'recording',
      `a recording of withRecording, of version ${RECORDING.version}`,
      first.slice(0, 80),
    );
  const exchanges = new Map<number, Exchange>();
  rest.forEach((text, i) => {
    const line = parsed(text) as RecordedLine | undefined;
    if (!line) {
      // The process that wrote it may have ended meanwhile.
      if (i === rest.length - 1) return;
      throw new InputError('recording', 'JSON in each of its lines', `line ${i + 2}: ${text.slice(0, 80)}`);
    }
    const exchange = exchanges.get(line.id);
    if (line.kind === 'request') exchanges.set(line.id, { sent: line });
    else if (line.kind === 'arrival' && exchange) exchange.arrival = line;
    else if (line.kind !== 'arrival' && exchange) exchange.end = line;
  });
  return [...exchanges.values()];
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return plainObject.is(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

function isSameTarget(recorded: string, requested: string): boolean {
  return queryOf(recorded) === queryOf(requested) && isSamePath(recorded, requested);
}

/** Whether two paths are the same but for that of the base URL. */
function isSamePath(recorded: string, requested: string): boolean {
  const [a, b] = [pathOf(recorded), pathOf(requested)];
  return a.endsWith(b) || b.endsWith(a);
}

function pathOf(url: string): string {
  return /^\w+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? url;
}

function queryOf(url: string): string {
  return /\?[^#]*/.exec(url)?.[0] ?? '';
}
