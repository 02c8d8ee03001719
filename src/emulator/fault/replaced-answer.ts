import { of, type Observable } from 'rxjs';
import { milliseconds } from '../../error/index.js';
import { positiveInteger } from '../../protocol/index.js';
import type { Check } from '../../error/index.js';
import type { FaultFields } from './fault-fields.js';
import type { EmulatedResponse } from '../service/index.js';

const FORMS = ['seconds', 'date', 'metadata'] as const;

/**
 * The request is not carried out. Instead, a failing server or proxy answers with:
 * - `wrong_json`: JSON that does not match the endpoint.
 * - `html`: an HTML page. `empty`: no body.
 * - `oversized`: a very large answer.
 * - `rate_limited`: 429, with the time to wait.
 * - `unauthorized`: 401, as for an expired token.
 * - `redirect`: 302.
 */
export type ReplacedAnswer =
  | { readonly kind: 'wrong_json' | 'unauthorized' | 'redirect' }
  | {
      readonly kind: 'html' | 'empty';
      /** From 200 to 599. Default 502 for `html`, 500 for `empty`. */
      readonly status?: number;
    }
  | {
      readonly kind: 'oversized';
      /** The size of the answer. Default 9 MiB. */
      readonly bytes?: number;
    }
  | {
      readonly kind: 'rate_limited';
      /** How long to wait, in ms. Default 1,000. */
      readonly wait?: number;
      /**
       * How the wait is sent: in `retry-after`, as `seconds` or as a `date`, or in the body's `metadata`, as a time in ms.
       * Default `seconds`.
       */
      readonly form?: (typeof FORMS)[number];
    };

const status: Check = {
  name: 'a status from 200 to 599',
  is: u => Number.isInteger(u) && (u as number) >= 200 && (u as number) <= 599,
};
const form: Check = { name: `one of ${FORMS.join(', ')}`, is: u => FORMS.some(known => known === u) };

export const replacedAnswerFields: FaultFields<ReplacedAnswer> = {
  wrong_json: {},
  html: { status },
  empty: { status },
  oversized: { bytes: positiveInteger },
  rate_limited: { wait: milliseconds, form },
  unauthorized: {},
  redirect: {},
};

export function replacedAnswer(fault: ReplacedAnswer, now: () => number): Observable<EmulatedResponse> {
  const answer = (status: number, body = '', headers: Readonly<Record<string, string>> = {}) =>
    of<EmulatedResponse>({ status, headers: { 'access-control-allow-origin': '*', ...headers }, body });

  switch (fault.kind) {
    case 'wrong_json':
      return answer(200, '{"events":{"0":1},"members":7,"watch":{"index":17}}');
    case 'html':
      return answer(fault.status ?? 502, '<!doctype html><title>Trouble</title>', {
        'content-type': 'text/html',
      });
    case 'empty':
      return answer(fault.status ?? 500);
    case 'oversized':
      return answer(200, JSON.stringify({ padding: ' '.repeat(fault.bytes ?? 9 * 2 ** 20) }));
    case 'rate_limited': {
      const { form = 'seconds', wait = 1_000 } = fault;
      const until = now() + wait;
      const header = { seconds: String(Math.ceil(wait / 1000)), date: new Date(until).toUTCString() };
      const metadata = form === 'metadata' ? { metadata: until } : {};
      const body = JSON.stringify({ code: 'API_RATE_LIMIT', message: 'Too many requests.', ...metadata });
      return answer(429, body, form === 'metadata' ? {} : { 'retry-after': header[form] });
    }
    case 'unauthorized':
      return answer(401, '{"code":"CLAIMS_ENTITLEMENT_EXPIRED","message":"The token has expired."}');
    case 'redirect':
      return answer(302, '', { location: '/elsewhere' });
  }
}
