import { hasTag, TaggedError, type RequestSummary } from './tagged-error.js';

const MAX_MESSAGE_LENGTH = 300;

/** The description of a body that is empty, or as good as empty. It may be a proxy's. */
export const NOTHING = 'nothing';

/**
 * Why a value failed to decode. It names paths and types, never the value itself, which may be a
 * token.
 */
export interface DecodeIssue {
  /**
   * The path to the value, for example `events[3].kind.identity_update.identity.bio`. A key that is
   * itself data, such as the name of a port, is replaced by `*`.
   */
  readonly path: string;
  /** What was expected there. */
  readonly expected: string;
  /** What was found instead, in words. */
  readonly got: string;
}

/**
 * The answer failed to decode. `path` says where, `expected` and `got` say why. The error never
 * contains the values themselves.
 */
export class DecodeError extends TaggedError {
  readonly _tag = 'DecodeError';
  override readonly name = 'DecodeError';
  readonly path: string;
  readonly expected: string;
  readonly got: string;
  /**
   * The request that was answered. `undefined` if the problem is not in one answer, such as a
   * repeated anchor.
   */
  readonly request: RequestSummary | undefined;

  constructor(issue: DecodeIssue, request?: RequestSummary) {
    const place = issue.path || 'the answer';
    const where = request ? ` (${request.method} ${request.url})` : '';
    super(`${place}: expected ${issue.expected}, got ${issue.got}${where}`.slice(0, MAX_MESSAGE_LENGTH));
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
