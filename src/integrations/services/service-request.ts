import type { PollSignal } from '../../stream/index.js';
import { recovery, type Recovery } from '../../error/index.js';

/** How a preset sends its requests. */
export interface ServiceRequestConfig {
  /** Headers of each request, for example an API key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the `fetch` of the platform. Redirects are errors, since headers may be secret. */
  readonly fetch?: ServiceFetch;
}

/** The part of `fetch` that presets use. */
export type ServiceFetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly signal: PollSignal;
    readonly redirect: 'error';
    readonly cache: 'no-store';
  },
) => PromiseLike<ServiceResponse>;

/** The part of a `Response` that presets read. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): BodyReader } | null;
  text(): PromiseLike<string>;
  json(): PromiseLike<unknown>;
}

/** The part of the reader of a stream that presets use. */
export interface BodyReader {
  read(): PromiseLike<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): PromiseLike<unknown>;
}

declare const fetch: ServiceFetch;

/** The service, or a proxy, answered with a status that is no answer. */
export class ServiceStatusError extends Error {
  override readonly name = 'ServiceStatusError';

  constructor(
    readonly status: number,
    /** How long it asks to wait, in ms. */
    readonly retryAfter: number | undefined,
  ) {
    super(`HTTP ${status}`);
  }
}

/** A request of a preset. */
export interface ServiceRequest {
  readonly url: string;
  readonly signal: PollSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, by POST. */
  readonly body?: object;
  /** Statuses besides 2xx that are answers. */
  readonly answers?: readonly number[];
}

/** Makes the function by which a preset sends its requests. Rejects with a `ServiceStatusError`. */
export function sender(config: ServiceRequestConfig) {
  return async ({ url, signal, headers, body, answers = [] }: ServiceRequest): Promise<ServiceResponse> => {
    const response = await (config.fetch ?? fetch)(url, {
      method: body ? 'POST' : 'GET',
      headers: { ...(body && { 'content-type': 'application/json' }), ...config.headers, ...headers },
      ...(body && { body: JSON.stringify(body) }),
      signal,
      redirect: 'error',
      cache: 'no-store',
    });
    const { status } = response;
    if ((status >= 200 && status <= 299) || answers.includes(status)) return response;
    // A body that nobody reads would keep its connection.
    await response.text();
    throw new ServiceStatusError(status, waitOf(response));
  };
}

/** The wait that an answer asks for, in ms. */
function waitOf({ headers }: ServiceResponse): number | undefined {
  const after = headers.get('retry-after');
  if (after === null) return undefined;
  if (/^\d+$/.test(after)) return Number(after) * 1_000;
  // The answer's own clock, since that of this machine may be wrong.
  const wait = Date.parse(after) - Date.parse(headers.get('date') ?? '');
  return wait > 0 ? wait : undefined;
}

/** What a failure of a preset means: all are retried. A 500 is the service's own. */
export function recoveryOfStatus(error: unknown): Recovery {
  if (!(error instanceof ServiceStatusError)) return recovery(error);
  return { kind: 'retry', mayBeCut: error.status !== 500, retryAfter: error.retryAfter };
}

/** Whether an error is one of these statuses. */
export function hasStatus(error: unknown, ...statuses: readonly number[]): boolean {
  return error instanceof ServiceStatusError && statuses.includes(error.status);
}
