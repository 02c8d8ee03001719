import { hasTag } from './has-tag.js';
import type { RequestSummary } from './request-summary.js';

/** What a {@link StatusError} says beside the status. Any part may be missing: a crashed server says nothing. */
export interface StatusDetails {
  /** The service's own name for the error, `GROUP_NOT_MEMBER` say. */
  readonly code?: string;
  /** The service's own message. */
  readonly reason?: string;
  /** Whatever the service added. */
  readonly metadata?: unknown;
  /** What to quote to whoever runs the service. */
  readonly rayId?: string;
  /** How long the service asks to wait before the next request, in ms. */
  readonly retryAfter?: number;
}

/** The service answered with an error status. */
export class StatusError extends Error {
  readonly _tag = 'StatusError';
  override readonly name = 'StatusError';
  /** The service's own name for the error, `GROUP_NOT_MEMBER` say. */
  readonly code: string | undefined;
  /** The service's own message. */
  readonly reason: string | undefined;
  /** Whatever the service added. */
  readonly metadata: unknown;
  /** What to quote to whoever runs the service. */
  readonly rayId: string | undefined;
  /** How long the service asks to wait before the next request, in ms. */
  readonly retryAfter: number | undefined;

  constructor(
    readonly status: number,
    readonly request: RequestSummary,
    details: StatusDetails = {},
  ) {
    // A single line, whatever the service wrote: it may be printed to a terminal or a log.
    const words = [details.code, details.reason].filter(Boolean).join(': ');
    const said = words.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').slice(0, 300);
    super(`${status}${said && ` ${said}`} (${request.method} ${request.url})`);
    this.code = details.code;
    this.reason = details.reason;
    this.metadata = details.metadata;
    this.rayId = details.rayId;
    this.retryAfter = details.retryAfter;
  }
}

/**
 * Whether this is a `StatusError`, from any copy of this library in any realm.
 *
 * @example
 * if (isStatusError(error) && error.code === 'GROUP_NOT_MEMBER') join();
 */
export const isStatusError: (u: unknown) => u is StatusError = hasTag<StatusError>('StatusError');
