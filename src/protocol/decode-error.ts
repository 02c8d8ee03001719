import type { DecodeIssue } from './decode-issue.js';
import type { RequestSummary } from './request-summary.js';

const LONGEST = 300;

/** The service answered nonsense: `path` says where, `expected` and `got` say what. The values themselves stay out. */
export class DecodeError extends Error {
  readonly _tag = 'DecodeError';
  override readonly name = 'DecodeError';
  readonly path: string;
  readonly expected: string;
  readonly got: string;
  /** The request it answered; absent where the nonsense is in what several answers say together. */
  readonly request: RequestSummary | undefined;

  constructor(issue: DecodeIssue, request?: RequestSummary) {
    const place = issue.path || 'the answer';
    const where = request ? ` (${request.method} ${request.url})` : '';
    super(`${place}: expected ${issue.expected}, got ${issue.got}${where}`.slice(0, LONGEST));
    this.path = issue.path;
    this.expected = issue.expected;
    this.got = issue.got;
    this.request = request;
  }
}
