import { tagOf, tryOr } from './callback/index.js';
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
  /** Whether the service itself has answered. Default: as its `code` or `rayId` suggests. */
  readonly isFromService?: boolean | undefined;
}

/**
 * The service answered with an error status, or something in front of it answered with any status
 * (see `isFromService`).
 */
export class StatusError extends TaggedError {
  readonly _tag = 'StatusError';
  override readonly name = 'StatusError';
  /** The service's error code, for example `GROUP_NOT_MEMBER`. */
  declare readonly code: string | undefined;
  /** The service's error message, or what something in front of it says. */
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
  /** Whether the service itself has answered, and not something in front of it. */
  declare readonly isFromService: boolean;

  constructor(
    readonly status: number,
    readonly request: RequestSummary,
    details: StatusDetails = {},
  ) {
    const { code, reason, metadata, rayId, retryAfter } = details;
    // A single line without control characters, since it may be printed to a terminal or a log.
    const detail = [code, reason].filter(Boolean).join(': ');
    const line = printable(detail).slice(0, 300);
    super(`${status}${line && ` ${line}`} (${request.method} ${request.url})`);
    Object.assign(this, { code, reason, metadata, rayId, retryAfter, isFromService: isFromService(details) });
  }
}

/**
 * Whether this is a `StatusError`, from any copy of this library in any realm.
 *
 * @example
 * if (isStatusError(error) && error.code === 'GROUP_NOT_MEMBER') join();
 */
export const isStatusError: (u: unknown) => u is StatusError = hasTag<StatusError>('StatusError');

/** Whether the service may have such a code. Many gateways have digits, or words of other forms. */
export function isServiceCode(code: string | null | undefined): boolean {
  return code != null && /^[A-Z][A-Z_\d]*$/.test(code);
}

/**
 * Whether the service itself answered, not a proxy in front of it. A client knows that once an
 * answer of the service has had a ray id in its header `rvt-ray-id`. Before that, and for an error
 * without a client, an error counts as the service's if it has a ray id, or a `code` like those of
 * the service.
 *
 * @example
 * if (isStatusError(error) && !isFromService(error))
 *   console.warn('A proxy answered. Is the URL right?');
 */
export function isFromService(error: Pick<StatusDetails, 'code' | 'rayId' | 'isFromService'>): boolean {
  return error.isFromService ?? (isServiceCode(error.code) || error.rayId !== undefined);
}

/**
 * Whether the wait that an error asks for counts for other requests, too. A page of something else
 * than the service says nothing of them, unless it limits a rate.
 */
export function pausesOthers(error: unknown): boolean {
  return !isStatusError(error) || error.status === 429 || isFromService(error);
}

/**
 * The error that a value is if it is a `Response` that is not ok. `undefined` if it is anything
 * else. `fetch` resolves with whatever the server answers, even a 500.
 *
 * The error has only the origin of the URL, since the rest may contain a token. It says how long to
 * wait, for `freeSlot`.
 */
export function failedResponse(value: unknown): StatusError | undefined {
  if (tagOf(value) !== 'Response') return undefined;
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
