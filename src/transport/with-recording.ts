import { asyncScheduler, defer, tap } from 'rxjs';
import { checkArgument, guarded, type Guard, type TransportError } from '../error/index.js';
import { Redaction, type Redacted } from './redaction.js';
import type { Transport, TransportRequest, TransportResponse } from './transport.js';
import { withLog, type RequestLogEntry } from './with-log.js';

/** What a recording says about itself, in its first line. */
export const RECORDING = { recording: 'lobby-rx', version: 1 } as const;

/** The headers of an answer that are recorded. */
const HEADERS = ['content-type', 'date', 'retry-after', 'rvt-ray-id', 'server', 'via'];

/**
 * A line of a recording, after the first one. All lines of one request have the same `id`; `at` is in ms since 1970.
 *
 * - `request`: it was sent; `poll` if the service may hold it.
 * - `arrival`: the first byte of its answer was there.
 * - `answer`, `failure` or `abort`: how it ended.
 */
export type RecordedLine = { readonly at: number; readonly id: number } & (
  | {
      readonly kind: 'request';
      readonly method: string;
      readonly url: string;
      readonly poll?: true;
      readonly body?: string;
    }
  | { readonly kind: 'arrival'; readonly status: number }
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly text: string;
    }
  | { readonly kind: 'failure'; readonly reason: string; readonly message: string }
  | { readonly kind: 'abort' }
);

/** The options of {@link withRecording}. */
export interface RecordingConfig {
  /** What else to replace: a field of JSON or of a URL's query by its name, other texts by a pattern. */
  readonly redact?: readonly Redacted[];
  /** The time in ms since 1970. Default: that of the machine. */
  readonly now?: () => number;
}

const redactedList: Guard<readonly Redacted[]> = {
  name: 'a list of names of fields, and of patterns',
  is: (u): u is readonly Redacted[] =>
    Array.isArray(u) && u.every(item => typeof item === 'string' || item instanceof RegExp),
};

/**
 * Records what a {@link Transport} sends and gets, so that it can be looked at, and replayed by `fromRecording`. `write` is called
 * with each line, without its end; each is JSON. Errors that it throws are ignored.
 *
 * No secret is recorded: the bearer token, fields whose names contain `token`, `password` or `secret`, and e-mail addresses, wherever
 * they come again. What stands for one stays the same throughout a recording. Names of people and chat messages are recorded.
 *
 * Throws an `InputError` if `redact` is invalid.
 *
 * @example
 * const transport = withRecording(fromFetch(), line => appendFileSync('bug.ndjson', `${line}\n`));
 */
export function withRecording(
  transport: Transport,
  write: (line: string) => void,
  { redact = [], now = () => asyncScheduler.now() }: RecordingConfig = {},
): Transport {
  const redaction = new Redaction(checkArgument('redact', redactedList, redact));
  const writeLine = (line: object) => guarded(write)(JSON.stringify(line));
  let requests = 0;
  return request =>
    defer(() => {
      if (requests === 0) writeLine(RECORDING);
      const id = ++requests;
      redaction.hide(request.headers.authorization?.replace(/^Bearer /i, ''));
      let answer: TransportResponse | undefined;
      const recorded: Transport = sent => {
        const onArrival = (status: number) => {
          writeLine({ at: now(), id, kind: 'arrival', status });
          request.onArrival?.(status);
        };
        return transport({ ...sent, onArrival }).pipe(tap(response => (answer = response)));
      };
      // A recording is a log that says more.
      const add = (entry: RequestLogEntry) =>
        writeLine({ at: entry.at, id, kind: entry.kind, ...details(entry, request, answer, redaction) });
      return withLog(recorded, add, now)(request);
    });
}

/** What a line says of a request, or of its end. */
function details(
  entry: RequestLogEntry,
  { method, url, body, kind }: TransportRequest,
  answer: TransportResponse | undefined,
  redaction: Redaction,
): object {
  if (entry.kind === 'request') {
    const sent = { method, url: redaction.url(url), ...(kind === 'poll' && { poll: true }) };
    return body === undefined ? sent : { ...sent, body: redaction.text(body) };
  }
  if (entry.kind === 'failure') {
    const { reason, message } = entry.error as TransportError;
    return { reason, message: redaction.text(message.replace(` (${method} ${url})`, '')) };
  }
  if (entry.kind !== 'answer' || !answer) return {};
  const headers: Record<string, string> = {};
  for (const name of HEADERS) {
    const value = answer.headers.get(name);
    if (value !== null) headers[name] = redaction.text(value);
  }
  return { status: answer.status, text: redaction.text(answer.text), headers };
}
