import type { StatusError } from './status-error.js';
import { hasTag } from './has-tag.js';

/** Whether this is a `StatusError`, made by whichever copy of this library in whichever realm. */
export const isStatusError = hasTag<StatusError>('StatusError');
