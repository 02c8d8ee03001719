import { concatMap, of, timer, type Observable } from 'rxjs';
import { milliseconds, type Check } from '../../../error/index.js';
import type { FaultFields } from './fault-fields.js';
import { serviceHeaders, type EmulatedResponse } from '../service/index.js';
import type { World } from '../world/index.js';

const FORMS = ['seconds', 'date', 'metadata'] as const;

/**
 * The request is not carried out. Instead, a failing server or proxy answers with one of these:
 * - `wrong_json`: JSON that does not match the endpoint.
 * - `error`: an error of the service itself, with a `code`.
 * - `html`: an HTML page, such as a proxy's. `empty`: no body.
 * - `oversized`: a very large answer.
 * - `rate_limited`: 429, with the time to wait.
 * - `unauthorized`: 401, as for an expired token.
 * - `redirect`: 302.
 * - `preflight`: 403 to the preflight of a page on another origin. The browser then does not send
 *   the request.
 */
export type ReplacedAnswer =
  | { readonly kind: 'wrong_json' | 'unauthorized' | 'redirect' | 'preflight' }
  | {
      readonly kind: 'error' | 'html' | 'empty';
      /** From 200 to 599. Default 502 for `html`, otherwise 500. */
      readonly status?: number;
      /** How long the request is held before the answer, in ms. Default 0. */
      readonly after?: number;
    }
  | {
      readonly kind: 'oversized';
      /** The size of the answer. Default 9 MiB, at most 256 MiB. */
      readonly bytes?: number;
    }
  | {
      readonly kind: 'rate_limited';
      /** How long to wait, in ms. Default 1,000. */
      readonly wait?: number;
      /**
       * How the wait is sent. `seconds` and `date` are forms of the header `retry-after`.
       * `metadata` is a field of the body, a time in ms since 1970. Default `seconds`.
       */
      readonly form?: (typeof FORMS)[number];
    };

const status: Check = {
  name: 'a status from 200 to 599',
  is: u => Number.isInteger(u) && (u as number) >= 200 && (u as number) <= 599,
};
const form: Check = { name: `one of ${FORMS.join(', ')}`, is: u => FORMS.some(known => known === u) };

/** Node's longest string is about twice as long. */
const MAX_BYTES = 2 ** 28;
const bytes: Check = {
  name: `a whole number from 1 to ${MAX_BYTES}`,
  is: u => Number.isInteger(u) && (u as number) >= 1 && (u as number) <= MAX_BYTES,
};

export const replacedAnswerFields: FaultFields<ReplacedAnswer> = {
  wrong_json: {},
  error: { status, after: milliseconds },
  html: { status, after: milliseconds },
  empty: { status, after: milliseconds },
  oversized: { bytes },
  rate_limited: { wait: milliseconds, form },
  unauthorized: {},
  redirect: {},
  preflight: {},
};

export function replacedAnswer(
  fault: ReplacedAnswer,
  { scheduler }: Pick<World, 'scheduler'>,
): Observable<EmulatedResponse> {
  const answer = (status: number, body = '', headers: Readonly<Record<string, string>> = {}) =>
    of<EmulatedResponse>({ status, headers: { 'access-control-allow-origin': '*', ...headers }, body });

  /** An answer of the service itself. */
  const own = (status: number, body: string, headers: Readonly<Record<string, string>> = {}) =>
    answer(status, body, { ...serviceHeaders('planned'), ...headers });

  const held = (answer$: Observable<EmulatedResponse>) =>
    'after' in fault && fault.after ? timer(fault.after, scheduler).pipe(concatMap(() => answer$)) : answer$;

  switch (fault.kind) {
    case 'wrong_json':
      return own(200, '{"events":{"0":1},"members":7,"watch":{"index":17}}');
    case 'error':
      return held(own(fault.status ?? 500, '{"code":"ERROR","message":"Planned.","ray_id":"planned"}'));
    case 'html':
      return held(
        answer(fault.status ?? 502, '<!doctype html><title>Trouble</title>', { 'content-type': 'text/html' }),
      );
    case 'empty':
      return held(answer(fault.status ?? 500));
    case 'oversized':
      return own(200, JSON.stringify({ padding: ' '.repeat(fault.bytes ?? 9 * 2 ** 20) }));
    case 'rate_limited': {
      const { form = 'seconds', wait = 1_000 } = fault;
      const until = scheduler.now() + wait;
      const header = { seconds: String(Math.ceil(wait / 1000)), date: new Date(until).toUTCString() };
      const metadata = form === 'metadata' ? { metadata: until } : {};
      const body = JSON.stringify({ code: 'API_RATE_LIMIT', message: 'Too many requests.', ...metadata });
      return own(429, body, form === 'metadata' ? {} : { 'retry-after': header[form] });
    }
    case 'unauthorized':
      return own(401, '{"code":"CLAIMS_ENTITLEMENT_EXPIRED","message":"The token has expired."}');
    case 'redirect':
      return answer(302, '', { location: '/elsewhere' });
    case 'preflight':
      return of({ status: 403, headers: {}, body: '' });
  }
}
