import type { DecodeError } from './decode-error.js';
import type { InputError } from './input-error.js';
import type { StatusError } from './status-error.js';
import type { TransportError } from './transport-error.js';

/** Every error that a stream of this library ends with, told apart by `_tag`. */
export type ClientError = TransportError | StatusError | DecodeError | InputError;
