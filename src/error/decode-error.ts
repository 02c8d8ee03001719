import { hasTag } from './has-tag.js';
import type { RequestSummary } from './request-summary.js';

const LONGEST_MESSAGE = 300;

/** Why a value does not decode. It names places and types, never the value itself: a value may be a token. */
export interface DecodeIssue {
  /**
   * The place, `events[3].kind.identity_update.identity.bio` say. A key that is data itself, such as the name of a port,
   * reads `*`.
   */
  readonly path: string;
  /** What was expected there. */
  readonly expected: string;
  /** What was there instead, in words. */
  readonly got: string;
}

/** The answer does not decode: `path` says where, `expected` and `got` say why. The values themselves are left out. */
export class DecodeError extends Error {
  readonly _tag = 'DecodeError';
  override readonly name = 'DecodeError';
  readonly path: string;
  readonly expected: string;
  readonly got: string;
  /** The request that was answered. Absent if the contradiction is between several answers. */
  readonly request: RequestSummary | undefined;

  constructor(issue: DecodeIssue, request?: RequestSummary) {
    const place = issue.path || 'the answer';
    const where = request ? ` (${request.method} ${request.url})` : '';
    super(`${place}: expected ${issue.expected}, got ${issue.got}${where}`.slice(0, LONGEST_MESSAGE));
    this.path = issue.path;
    this.expected = issue.expected;
    this.got = issue.got;
    this.request = request;
  }
}

/**
 * Whether this is a `DecodeError`, from any copy of this library in any realm.
 *
 * @example
 * if (isDecodeError(error)) console.error(error.path, error.expected, error.got);
 */
export const isDecodeError: (u: unknown) => u is DecodeError = hasTag<DecodeError>('DecodeError');
