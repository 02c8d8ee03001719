import { isDecodeError, type DecodeError } from './decode-error.js';
import { isInputError, type InputError } from './input-error.js';
import { isStatusError, type StatusError } from './status-error.js';
import { isTransportError, type TransportError } from './transport-error.js';

/** Any error that a stream of this library ends with. Distinguish them by `_tag` or with their guards. */
export type ClientError = TransportError | StatusError | DecodeError | InputError;

/**
 * Whether this is one of this library's errors.
 *
 * @example
 * if (!isClientError(error)) throw error;
 */
export function isClientError(u: unknown): u is ClientError {
  return isTransportError(u) || isStatusError(u) || isDecodeError(u) || isInputError(u);
}
