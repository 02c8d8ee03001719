import { isDecodeError, type DecodeError } from './decode-error.js';
import { isInputError, type InputError } from './input-error.js';
import { isStatusError, type StatusError } from './status-error.js';
import { isTransportError, type TransportError } from './transport-error.js';
import { isUnauthorizedError, type UnauthorizedError } from './unauthorized-error.js';

/**
 * Any error that a stream of this library ends with. Distinguish them by `_tag` or with their
 * guards.
 */
export type ClientError = TransportError | StatusError | DecodeError | InputError | UnauthorizedError;

const GUARDS = [isTransportError, isStatusError, isDecodeError, isInputError, isUnauthorizedError];

/**
 * Whether this is one of this library's errors.
 *
 * @example
 * if (!isClientError(error)) throw error;
 */
export function isClientError(u: unknown): u is ClientError {
  return GUARDS.some(guard => guard(u));
}
