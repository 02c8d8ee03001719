import type { DecodeError } from './decode-error.js';
import { hasTag } from './has-tag.js';

/** Whether this is a `DecodeError`, made by whichever copy of this library in whichever realm. */
export const isDecodeError = hasTag<DecodeError>('DecodeError');
