import { tryOr } from './callback/index.js';
import { printable } from './describe.js';
import { fieldsOf } from './guard.js';
import { retryAfter } from './retry-after.js';
import { hasTag, TaggedError, type RequestSummary } from './tagged-error.js';

/**
 * The parts of a {@link StatusError} besides the status. Any of them may be missing, since a
 * crashed server sends none.
 */
export interface StatusDetails {
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
  readonly metadata?: unknown;
  readonly rayId?: string | undefined;
  readonly retryAfter?: number | undefined;
}

/** The service answered with an error status. */
export class StatusError extends TaggedError {
  readonly _tag = 'StatusError';
  override readonly name = 'StatusError';
  /** The service's error code, for example `GROUP_NOT_MEMBER`. */
  declare readonly code: string | undefined;
  /** The service's error message. */
  declare readonly reason: string | undefined;
  /** Any further data from the service. */
  declare readonly metadata: unknown;
  /**
   * The ray id: the service's request id (header `rvt-ray-id`). Quote it when you report a problem
   * to the operators of the service.
   */
  declare readonly rayId: string | undefined;
  /** How long the service asks to wait before the next request, in ms. */
  declare readonly retryAfter: number | undefined;

  constructor(
    readonly status: number,
    readonly request: RequestSummary,
    { code, reason, metadata, rayId, retryAfter }: StatusDetails = {},
  ) {
    // A single line without control characters, since it may be printed to a terminal or a log.
    const detail = [code, reason].filter(Boolean).join(': ');
    const line = printable(detail).slice(0, 300);
    super(`${status}${line && ` ${line}`} (${request.method} ${request.url})`);
    Object.assign(this, { code, reason, metadata, rayId, retryAfter });
  }
}

/**
 * Whether this is a `StatusError`, from any copy of this library in any realm.
 *
 * @example
 * if (isStatusError(error) && error.code === 'GROUP_NOT_MEMBER') join();
 */
export const isStatusError: (u: unknown) => u is StatusError = hasTag<StatusError>('StatusError');

/** Gateways have codes of digits, such as '404' or '900901'. The codes of the service are names. */
const ONLY_DIGITS = /^\d+$/;

/**
 * Whether the service itself answered, not a proxy in front of it. The service's error bodies have
 * a `code`, and its answers a ray id (see `StatusError.rayId`).
 *
 * @example
 * if (isStatusError(error) && !isFromService(error))
 *   console.warn('A proxy answered. Is the URL right?');
 */
export function isFromService({ code, rayId }: Pick<StatusDetails, 'code' | 'rayId'>): boolean {
  return (code !== undefined && !ONLY_DIGITS.test(code)) || rayId !== undefined;
}

/**
 * The error that a value is if it is a `Response` that is not ok. `undefined` if it is anything
 * else. `fetch` resolves with whatever the server answers, even a 500.
 *
 * The error has only the origin of the URL, since the rest may contain a token.
 */
export function failedResponse(value: unknown): StatusError | undefined {
  if (Object.prototype.toString.call(value) !== '[object Response]') return undefined;
  const { ok, status, url, headers } = fieldsOf(value);
  if (ok !== false) return undefined;
  const request = { method: 'fetch', url: tryOr(() => new URL(String(url)).origin, '') };
  const get = (name: string) => tryOr(() => (headers as Headers).get(name), null);
  return new StatusError(Number(status), request, {
    rayId: get('rvt-ray-id') ?? undefined,
    retryAfter: retryAfter({ get }, undefined, Date.now()),
  });
}

declare const URL: new (url: string) => { readonly origin: string };

interface Headers {
  get(name: string): string | null;
}
