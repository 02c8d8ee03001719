import { map, type Observable, type Observer } from 'rxjs';
import { isLeft } from '#fp-ts/Either';
import { Direct, DirectOperator } from '../direct/index.js';
import {
  CHECK_URL,
  DecodeError,
  isClientError,
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
import { decodeBy, decodeIssues, detailsOf, saysNothing } from '../protocol/index.js';
import type { Polled } from '../stream/index.js';
import {
  summaryOf,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../transport/index.js';
import { composeRequest, type Destinations, type RequestOptions } from './compose-request.js';
import type { Endpoint } from './endpoint.js';

/** Everything that is needed to send requests. */
export interface RequestContext extends Destinations {
  readonly transport: Transport;
  /**
   * The current time, in ms since 1970. It is needed if `Retry-After` is a date, and the answer has
   * no `Date`.
   */
  readonly now: () => number;
}

/**
 * Sends one request to an endpoint. It is cold. It emits one answer and completes. Unsubscribing
 * aborts the request.
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
  context: RequestContext,
  endpoint: Endpoint<Input, Answer>,
  input: Input,
  options?: RequestOptions,
): Observable<Polled<Answer>> {
  return new Direct(observer => {
    const outgoing = composeRequest(endpoint, input, context, options);
    const answered = new AnsweredRequest(observer, endpoint, outgoing, context.now);
    return answered.begin(() => context.transport(outgoing));
  });
}

/** A request whose answer is decoded. */
class AnsweredRequest<Answer> extends DirectOperator<TransportResponse, Polled<Answer>> {
  constructor(
    observer: Observer<Polled<Answer>>,
    private readonly endpoint: Endpoint<never, Answer>,
    private readonly outgoing: TransportRequest,
    private readonly now: () => number,
  ) {
    super(observer);
  }

  next(response: TransportResponse): void {
    let answer: Answer;
    try {
      answer = readAnswer(this.endpoint, this.outgoing, response, this.now);
    } catch (error) {
      return this.error(error);
    }
    this.emit({ answer, text: response.text, isFromService: response.isFromService });
  }

  override error(error: unknown): void {
    const isUnrepeatable =
      this.endpoint.isRepeatable === false && isClientError(error) && mayHaveActed(error);
    super.error(isUnrepeatable ? Object.assign(error, { isRepeatable: false }) : error);
  }

  override complete(): void {
    // The source of an answer completes, too. An error that nobody gets would still take its stack.
    if (!this.isOver)
      this.error(
        new TransportError('lost', 'the transport completed without an answer', summaryOf(this.outgoing)),
      );
  }
}

/**
 * Decodes the value in an answer. If there is no value, throws a `StatusError`, an
 * `UnauthorizedError` or a `DecodeError`.
 */
function readAnswer<Answer>(
  endpoint: Endpoint<never, Answer>,
  outgoing: TransportRequest,
  response: TransportResponse,
  now: () => number,
): Answer {
  const { status, text, isFromService } = response;
  const request = summaryOf(outgoing);
  const isOk = status >= 200 && status < 300 && !(isFromService === false && outgoing.emptyOk);
  if (!isOk) throw refusal(response, request, now());
  const result = decode(endpoint, text, request);
  if (!isLeft(result)) return result.right;
  // A 204 from an endpoint with content is not malformed. Proxies and servers use it for "nothing
  // new".
  if (status === 204) throw new StatusError(status, request);
  const whole = { path: '', expected: endpoint.response.name };
  if (saysNothing(text)) throw new DecodeError({ ...whole, got: NOTHING }, request);
  const [issue = { ...whole, got: 'something else' }] = decodeIssues(result.left);
  throw new DecodeError(issue, request);
}

/**
 * Whether a text is JSON that begins and does not end. WebKit takes a chunked body that broke off
 * for a whole one.
 */
function isCutOff(text: string): boolean {
  return /^\s*[[{]/.test(text) && !/[\]}]\s*$/.test(text);
}

function decode<Answer>({ response }: Endpoint<never, Answer>, text: string, request: RequestSummary) {
  const failed = (expected: string, got: string) => new DecodeError({ path: '', expected, got }, request);
  let json: unknown;
  try {
    json = text.trim() === '' ? undefined : JSON.parse(text);
  } catch {
    if (isCutOff(text))
      throw failed('JSON', 'JSON that is cut off: something on the way has ended the answer');
    throw failed('JSON', /^\s*</.test(text) ? 'HTML' : `${text.length} characters of something else`);
  }
  try {
    return decodeBy(response, json);
  } catch {
    // A codec may throw, or be none, and its error may quote the answer.
    throw failed(response.name, shapeOf(json));
  }
}

/** The longest wait that an answer may ask for which is not the service's, except a 429, in ms. */
const MAX_FOREIGN_WAIT_MS = 60_000;

/** The error of an answer with an error status, or of an OK that is not the service's. */
function refusal(response: TransportResponse, request: RequestSummary, now: number): ClientError {
  const { status, headers, isSignedOut = false } = response;
  const details = detailsOf(response);
  // What is not the service does not know when the service is there again.
  const maxWait = details.isFromService || status === 429 ? Infinity : MAX_FOREIGN_WAIT_MS;
  const wait = retryAfter(headers, details.metadata, now);
  const error = new StatusError(status, request, {
    ...details,
    ...(status < 300 && { reason: `${CHECK_URL} ${details.reason ?? '(empty)'}` }),
    retryAfter: wait && Math.min(wait, maxWait),
  });
  const isUnauthorized = status === 401 && (isSignedOut || error.isFromService);
  return isUnauthorized ? new UnauthorizedError(request, error) : error;
}
