import { isLeft } from '#fp-ts/Either';
import { DecodeError, decodeIssues, StatusError, type RequestSummary } from '../protocol/index.js';
import { summaryOf, type TransportRequest, type TransportResponse } from '../transport/index.js';
import type { Endpoint } from './endpoint.js';
import { statusDetails } from './status-details.js';

/** The value that an answer carries; throws a `StatusError` or a `DecodeError` where it carries none. */
export function readAnswer(
  endpoint: Endpoint,
  request: TransportRequest,
  response: TransportResponse,
  now: number,
): unknown {
  const { status, text } = response;
  const summary = summaryOf(request);
  if (status < 200 || status > 299) {
    throw new StatusError(status, summary, statusDetails(response, request, now));
  }
  const result = endpoint.response.decode(parse(text, summary));
  if (!isLeft(result)) return result.right;
  // "No content" where content was promised is no nonsense: it is how a proxy or a server says "nothing new".
  if (status === 204) throw new StatusError(status, summary);
  const [issue] = decodeIssues(result.left);
  throw new DecodeError(
    issue ?? { path: '', expected: endpoint.response.name, got: 'something else' },
    summary,
  );
}

function parse(text: string, summary: RequestSummary): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    const got = /^\s*</.test(text) ? 'HTML' : `${text.length} characters of something else`;
    throw new DecodeError({ path: '', expected: 'JSON', got }, summary);
  }
}
