import { asyncScheduler, defer, finalize, tap } from 'rxjs';
import { checkArgument, guarded, type Guard } from '../error/index.js';
import { explainFailure } from './explain-failure.js';
import { Redaction, type Redacted } from './redaction.js';
import type { Transport, TransportResponse } from './transport.js';

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
  const writeLine = guarded(write);
  let requests = 0;
  return request =>
    defer(() => {
      if (requests === 0) writeLine(JSON.stringify(RECORDING));
      const id = ++requests;
      let hasEnded = false;
      const add = (line: RecordedLine) => writeLine(JSON.stringify(line));
      const end = (line: RecordedLine) => {
        if (hasEnded) return;
        hasEnded = true;
        add(line);
      };
      redaction.hide(request.headers.authorization?.replace(/^Bearer /i, ''));
      const { method, body, kind } = request;
      const url = redaction.url(request.url);
      add({
        ...{ at: now(), id, kind: 'request', method, url },
        ...(kind === 'poll' && { poll: true }),
        ...(body !== undefined && { body: redaction.text(body) }),
      });
      const answered = ({ status, headers, text }: TransportResponse) =>
        end({
          ...{ at: now(), id, kind: 'answer', status, text: redaction.text(text) },
          headers: Object.fromEntries(
            HEADERS.flatMap(name => {
              const value = headers.get(name);
              return value === null ? [] : [[name, redaction.text(value)]];
            }),
          ),
        });
      const failed = (error: unknown) => {
        const { reason, message } = explainFailure(error, request);
        const text = message.replace(` (${method} ${request.url})`, '');
        end({ at: now(), id, kind: 'failure', reason, message: redaction.text(text) });
      };
      const onArrival = (status: number) => {
        add({ at: now(), id, kind: 'arrival', status });
        request.onArrival?.(status);
      };
      return transport({ ...request, onArrival }).pipe(
        tap({ next: answered, error: failed }),
        finalize(() => end({ at: now(), id, kind: 'abort' })),
      );
    });
}
