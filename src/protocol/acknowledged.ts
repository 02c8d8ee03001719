import * as t from 'io-ts';
import { jsonObject, type Codec } from './codec.js';

/**
 * The answer of an operation that returns no data: an empty body, or a JSON object whose fields are ignored. Any other body
 * with a 2xx status, such as a proxy's HTML page, does not come from the service and fails to decode.
 *
 * @example
 * const leave = endpoint({ method: 'POST', service: 'group', path: '/v1/leave', response: Acknowledged });
 */
export const Acknowledged: Codec<void> = new t.Type<void, unknown>(
  'object or nothing',
  (u): u is void => u === undefined,
  (u, context) => (u === undefined || jsonObject.is(u) ? t.success(undefined) : t.failure(u, context)),
  () => ({}),
);
