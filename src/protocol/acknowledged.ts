import * as t from 'io-ts';
import { jsonObject } from './json-object.js';

/**
 * The answer of an operation that only says OK: nothing, or a JSON object in which nothing needs to be read. What else
 * comes with a 2xx (a proxy's page, say) is not the service's word.
 */
export const Acknowledged = new t.Type<void, unknown>(
  'object or nothing',
  (u): u is void => u === undefined,
  (u, context) => (u === undefined || jsonObject.is(u) ? t.success(undefined) : t.failure(u, context)),
  () => ({}),
);
