import type { PollSignal } from '../../stream/index.js';
import {
  checkArgument,
  fieldsOf,
  isStatusError,
  retryAfter,
  StatusError,
  type Guard,
} from '../../error/index.js';

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

declare const URL: new (url: string) => { readonly origin: string };

/** A request of a preset. */
export interface ServiceRequest {
  readonly url: string;
  readonly signal: PollSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent by POST: an object as JSON, a text as XML. */
  readonly body?: object | string;
  /** Statuses besides 2xx that are answers. */
  readonly answers?: readonly number[];
}

/** Makes the function by which a preset sends its requests. Rejects with a `StatusError`. */
export function sender(config: ServiceRequestConfig) {
  return async ({ url, signal, headers, body, answers = [] }: ServiceRequest): Promise<ServiceResponse> => {
    const method = body ? 'POST' : 'GET';
    const answer = await (config.fetch ?? fetch)(url, {
      method,
      headers: { ...(body && { 'content-type': typeOf(body) }), ...config.headers, ...headers },
      ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal,
      redirect: 'error',
      cache: 'no-store',
    });
    const response = checkArgument('what fetch gives', aResponse, answer);
    const { status } = response;
    if ((status >= 200 && status <= 299) || answers.includes(status)) return response;
    // A body that nobody reads would keep its connection.
    await response.text();
    throw new StatusError(
      status,
      { method, url: originOf(url) },
      {
        retryAfter: retryAfter(response.headers, undefined, Date.now()),
      },
    );
  };
}

function typeOf(body: object | string): string {
  return typeof body === 'string' ? 'text/xml; charset=utf-8' : 'application/json';
}

const aResponse: Guard<ServiceResponse> = {
  name: 'a Response',
  is: (u): u is ServiceResponse => typeof fieldsOf(u).status === 'number',
};

/** The part of a URL that an error may reveal. */
export function originOf(url: string): string {
  return new URL(url).origin;
}

/** Whether an error is one of these statuses. */
export function hasStatus(error: unknown, ...statuses: readonly number[]): boolean {
  return isStatusError(error) && statuses.includes(error.status);
}
