import type { InputError } from './input-error.js';
import { hasTag } from './has-tag.js';

/** Whether this is a `InputError`, made by whichever copy of this library in whichever realm. */
export const isInputError = hasTag<InputError>('InputError');
