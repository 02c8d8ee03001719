import type { TransportError } from './transport-error.js';
import { hasTag } from './has-tag.js';

/** Whether this is a `TransportError`, made by whichever copy of this library in whichever realm. */
export const isTransportError = hasTag<TransportError>('TransportError');
