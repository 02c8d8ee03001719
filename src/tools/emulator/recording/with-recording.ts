import { asyncScheduler, defer, tap } from 'rxjs';
import { aFunction, checkOptions, guarded, type Options, type TransportError } from '../../../error/index.js';
import {
  withLog,
  type RequestLogEntry,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../../../transport/index.js';
import { HEADERS, Kept } from './kept.js';

/** What a recording says about itself, in its first line. */
export const RECORDING = { recording: 'lobby-rx', version: 1 } as const;

/**
 * A line of a recording, after the first one. All lines of one request have the same `id`; `at` is
 * in ms since 1970.
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
  | { readonly kind: 'failure'; readonly reason: string }
  | { readonly kind: 'abort' }
);

/** The options of {@link withRecording}. */
export interface RecordingConfig {
  /** The time in ms since 1970. Default: that of the machine. */
  readonly now?: () => number;
}

const OPTIONS: Options<RecordingConfig> = { now: aFunction };

/**
 * Records what a {@link Transport} sends and gets, so that it can be looked at, and replayed by
 * `fromRecording`. `write` is called with each line, without its end; each is JSON. Errors that it
 * throws are ignored, and the answer goes through unchanged, whatever comes.
 *
 * It keeps what a replay needs: methods, the shape of paths, statuses, times, names of fields,
 * types, indexes, error codes, presences. Each other string is replaced by one of its kind, such as
 * `text-12` or `identity-3`, which is the same for the same string.
 *
 * Throws an `InputError` if an option is unknown or invalid.
 *
 * @example
 * const transport = withRecording(fromFetch(), line => appendFileSync('bug.ndjson', `${line}\n`));
 */
export function withRecording(
  transport: Transport,
  write: (line: string) => void,
  config: RecordingConfig = {},
): Transport {
  checkOptions(config, OPTIONS);
  const { now = () => asyncScheduler.now() } = config;
  const kept = new Kept();
  const writeLine = (line: object) => guarded(write)(JSON.stringify(line));
  let requests = 0;
  return request =>
    defer(() => {
      if (requests === 0) writeLine(RECORDING);
      const id = ++requests;
      let answer: TransportResponse | undefined;
      const recorded: Transport = sent => {
        const onArrival = (status: number) => {
          writeLine({ at: now(), id, kind: 'arrival', status });
          request.onArrival?.(status);
        };
        return transport({ ...sent, onArrival }).pipe(
          tap(response => {
            answer = response;
          }),
        );
      };
      // A recording is a log that says more.
      const add = (entry: RequestLogEntry) =>
        writeLine({ at: entry.at, id, kind: entry.kind, ...details(entry, request, answer, kept) });
      return withLog(recorded, add, now)(request);
    });
}

/** What a line says of a request, or of its end. */
function details(
  entry: RequestLogEntry,
  { method, url, body, kind }: TransportRequest,
  answer: TransportResponse | undefined,
  kept: Kept,
): object {
  if (entry.kind === 'request') {
    const sent = { method, url: kept.url(url), ...(kind === 'poll' && { poll: true }) };
    return body === undefined ? sent : { ...sent, body: kept.body(body) };
  }
  if (entry.kind === 'failure') return { reason: (entry.error as TransportError).reason };
  if (entry.kind !== 'answer' || !answer) return {};
  const headers: Record<string, string> = {};
  for (const name of Object.keys(HEADERS)) {
    const value = answer.headers.get(name);
    if (value !== null) headers[name] = kept.header(name, value);
  }
  return { status: answer.status, headers, text: kept.body(answer.text) };
}
