import { of, type Observable } from 'rxjs';
import type { EmulatedResponse } from './emulated-response.js';
import type { Fault } from './fault.js';
import type { World } from './world.js';

/** The faults that keep a request from the service: something else is answered instead. */
export function insteadFault(fault: Fault, { now }: World): Observable<EmulatedResponse> | undefined {
  const instead = (status: number, body = '', headers: Readonly<Record<string, string>> = {}) =>
    of<EmulatedResponse>({ status, headers: { 'access-control-allow-origin': '*', ...headers }, body });

  switch (fault.kind) {
    case 'wrong_json':
      return instead(200, '{"events":{"0":1},"members":7,"watch":{"index":17}}');
    case 'html':
      return instead(fault.status ?? 502, '<!doctype html><title>Trouble</title>', {
        'content-type': 'text/html',
      });
    case 'empty':
      return instead(fault.status ?? 500);
    case 'oversized':
      return instead(200, JSON.stringify({ padding: ' '.repeat(fault.bytes ?? 9 * 2 ** 20) }));
    case 'unauthorized':
      return instead(401, '{"code":"CLAIMS_ENTITLEMENT_EXPIRED","message":"The token has expired."}');
    case 'redirect':
      return instead(302, '', { location: '/elsewhere' });
    case 'rate_limited': {
      const { form = 'seconds', wait = 1_000 } = fault;
      const until = now() + wait;
      const header = { seconds: String(Math.ceil(wait / 1000)), date: new Date(until).toUTCString() };
      const metadata = form === 'metadata' ? { metadata: until } : {};
      const body = JSON.stringify({ code: 'API_RATE_LIMIT', message: 'Too many requests.', ...metadata });
      return instead(429, body, form === 'metadata' ? {} : { 'retry-after': header[form] });
    }
    default:
      return undefined;
  }
}
