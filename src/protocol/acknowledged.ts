import * as t from 'io-ts';
import { jsonObject, type Codec } from './codec.js';

/**
 * The answer of an operation that only says OK: an empty body, or a JSON object of which nothing needs to be read.
 * Anything else with a 2xx status, a proxy's page say, does not come from the service.
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
