import type { ClientError } from './client-error.js';
import { isDecodeError } from './is-decode-error.js';
import { isInputError } from './is-input-error.js';
import { isStatusError } from './is-status-error.js';
import { isTransportError } from './is-transport-error.js';

/** Whether this is one of the errors that this library makes. */
export function isClientError(u: unknown): u is ClientError {
  return isTransportError(u) || isStatusError(u) || isDecodeError(u) || isInputError(u);
}
