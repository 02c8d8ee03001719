import { isLeft } from '#fp-ts/Either';
import { DecodeError, StatusError, type RequestSummary, type StatusDetails } from '../error/index.js';
import { decodeIssues, ErrorBody } from '../protocol/index.js';
import type { TransportResponse } from '../transport/index.js';
import type { Endpoint } from './endpoint.js';

/** The value that an answer carries. Throws a `StatusError` or a `DecodeError` if it carries none. */
export function readAnswer<Answer>(
  endpoint: Endpoint<never, Answer>,
  request: RequestSummary,
  response: TransportResponse,
  now: () => number,
): Answer {
  const { status, text } = response;
  if (status < 200 || status > 299) throw new StatusError(status, request, statusDetails(response, now()));
  const result = endpoint.response.decode(parse(text, request));
  if (!isLeft(result)) return result.right;
  // "No content" where content was promised is not an error: proxies and servers say "nothing new" like that.
  if (status === 204) throw new StatusError(status, request);
  const [issue] = decodeIssues(result.left);
  throw new DecodeError(
    issue ?? { path: '', expected: endpoint.response.name, got: 'something else' },
    request,
  );
}

function parse(text: string, request: RequestSummary): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    const got = /^\s*</.test(text) ? 'HTML' : `${text.length} characters of something else`;
    throw new DecodeError({ path: '', expected: 'JSON', got }, request);
  }
}

/** What an error answer says beside its status. Its body may be empty, HTML or cut. */
function statusDetails({ headers, text }: TransportResponse, now: number): StatusDetails {
  const body = errorBody(text);
  const rayId = body.ray_id ?? headers.get('rvt-ray-id') ?? '';
  const wait = retryAfter(headers.get('retry-after'), body.metadata, now);
  return {
    ...(body.code != null && { code: body.code }),
    ...(body.message != null && { reason: body.message }),
    ...(body.metadata != null && { metadata: body.metadata }),
    ...(rayId !== '' && { rayId }),
    ...(wait !== undefined && { retryAfter: wait }),
  };
}

function errorBody(text: string): ErrorBody {
  try {
    const result = ErrorBody.decode(JSON.parse(text));
    return isLeft(result) ? {} : result.right;
  } catch {
    return {};
  }
}

/** Metadata may be any number. One that is a date of this century is a moment. */
const CENTURY = Date.UTC(2000);

/**
 * How long a service asks to wait, in ms: the `Retry-After` header, in seconds or as an HTTP date; or, since browsers hide
 * that header, the moment that a rate limit's `metadata` names in ms.
 */
function retryAfter(header: string | null, metadata: unknown, now: number): number | undefined {
  const said = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(said)) return Number(said) * 1000;
  // `Date.parse` takes '-5' and '1.5' for dates, too.
  const byHeader = /^[A-Za-z]{3}/.test(said) ? Date.parse(said) : NaN;
  const byMetadata = typeof metadata === 'number' || typeof metadata === 'string' ? Number(metadata) : NaN;
  const moment = Number.isNaN(byHeader) ? byMetadata : byHeader;
  return Number.isFinite(moment) && moment > CENTURY ? Math.max(0, moment - now) : undefined;
}
