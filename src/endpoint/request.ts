import { map, Observable } from 'rxjs';
import { isLeft } from '#fp-ts/Either';
import {
  DecodeError,
  isClientError,
  isFromService,
  mayHaveActed,
  NOTHING,
  retryAfter,
  shapeOf,
  StatusError,
  TransportError,
  UnauthorizedError,
  type ClientError,
  type RequestSummary,
} from '../error/index.js';
import { decodeBy, decodeIssues, detailsOf, jsonHash, textHash } from '../protocol/index.js';
import type { Polled } from '../stream/index.js';
import { summaryOf, type Transport, type TransportResponse } from '../transport/index.js';
import { composeRequest, type BaseUrls, type RequestOptions } from './compose-request.js';
import type { Endpoint } from './endpoint.js';

/** Everything that is needed to send requests. */
export interface RequestContext {
  readonly transport: Transport;
  readonly baseUrls: BaseUrls;
  /** The current time, in ms since 1970. `Retry-After` may be a date, in an answer without a `Date`. */
  readonly now: () => number;
}

/**
 * Sends one request to an endpoint. Cold: emits one answer and completes. Unsubscribing aborts.
 *
 * Errors: `InputError` before anything is sent, `TransportError`, `StatusError`, `DecodeError`.
 */
export function request<Input, Answer>(
  context: RequestContext,
  endpoint: Endpoint<Input, Answer>,
  input: Input,
  options?: RequestOptions,
): Observable<Answer> {
  return requestText(context, endpoint, input, options).pipe(map(({ answer }) => answer));
}

/** Like {@link request}, but emits the answer with the text that it was decoded from. */
export function requestText<Input, Answer>(
  { transport, baseUrls, now }: RequestContext,
  endpoint: Endpoint<Input, Answer>,
  input: Input,
  options?: RequestOptions,
): Observable<Polled<Answer>> {
  return new Observable(subscriber => {
    const outgoing = composeRequest(endpoint, input, baseUrls, options);
    const summary = summaryOf(outgoing);
    const fail = (error: unknown) => {
      const isUnrepeatable = endpoint.isRepeatable === false && isClientError(error) && mayHaveActed(error);
      subscriber.error(isUnrepeatable ? Object.assign(error, { isRepeatable: false }) : error);
    };
    const answered = transport(outgoing).subscribe({
      next: response => {
        try {
          subscriber.next({ answer: readAnswer(endpoint, summary, response, now), text: response.text });
          subscriber.complete();
        } catch (error) {
          fail(error);
        }
      },
      error: fail,
      complete: () => fail(new TransportError('lost', 'the transport completed without an answer', summary)),
    });
    subscriber.add(answered);
  });
}

/** Decodes the value in an answer. Throws a `StatusError`, an `UnauthorizedError` or a `DecodeError` if there is none. */
function readAnswer<Answer>(
  endpoint: Endpoint<never, Answer>,
  request: RequestSummary,
  response: TransportResponse,
  now: () => number,
): Answer {
  const { status, text } = response;
  if (status < 200 || status > 299) throw refusal(response, request, now());
  const result = decode(endpoint, text, request);
  if (!isLeft(result)) return result.right;
  // A 204 from an endpoint with content is not malformed: proxies and servers use it for "nothing new".
  if (status === 204) throw new StatusError(status, request);
  const whole = { path: '', expected: endpoint.response.name };
  if (SAYS_NOTHING.test(text)) throw new DecodeError({ ...whole, got: NOTHING }, request);
  const [issue = { ...whole, got: 'something else' }] = decodeIssues(result.left);
  throw new DecodeError(issue, request);
}

const SAYS_NOTHING = /^\s*(null|\{\s*\})?\s*$/;

/**
 * A hash of an answer's text without its `watch`, which changes although the data has not. Answers with the same key have the
 * same text, for all practical purposes. The text itself need not be kept.
 */
export function answerKey(_: unknown, text = ''): number {
  if (text === '') return 0;
  const start = text.lastIndexOf('"watch"');
  if (start >= 0 && WATCH_AT_END.test(text.slice(start))) return textHash(text.slice(0, start));
  const head = WATCH_AT_START.exec(text);
  return head ? textHash(text.slice(head[0].length)) : jsonHash(JSON.parse(text), ['watch']);
}

/** Nothing follows but the end of the answer itself, so that it is no part of an event. */
const WATCH_AT_END = /^"watch"\s*:\s*\{[^{}]*\}\s*\}\s*$/;
const WATCH_AT_START = /^\s*\{\s*"watch"\s*:\s*\{[^{}]*\}/;

function decode<Answer>({ response }: Endpoint<never, Answer>, text: string, request: RequestSummary) {
  const failed = (expected: string, got: string) => new DecodeError({ path: '', expected, got }, request);
  let json: unknown;
  try {
    json = text.trim() === '' ? undefined : JSON.parse(text);
  } catch {
    throw failed('JSON', /^\s*</.test(text) ? 'HTML' : `${text.length} characters of something else`);
  }
  try {
    return decodeBy(response, json);
  } catch {
    // A codec may throw, or be none, and what it throws may quote the answer.
    throw failed(response.name, shapeOf(json));
  }
}

/** The error of an answer that is a no. */
function refusal(response: TransportResponse, request: RequestSummary, now: number): ClientError {
  const { status, headers, text, isSignedOut = false } = response;
  const details = detailsOf(text, headers);
  const wait = retryAfter(headers, details.metadata, now);
  const error = new StatusError(status, request, { ...details, retryAfter: wait });
  const isUnauthorized = status === 401 && (isSignedOut || isFromService(error));
  return isUnauthorized ? new UnauthorizedError(request, error) : error;
}
