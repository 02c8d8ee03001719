export {
  aBoolean,
  aFunction,
  checkArgument,
  checkConfig,
  checkOptions,
  clock,
  cursor,
  cursorArgument,
  given,
  isWellFormed,
  milliseconds,
  nonEmptyString,
  observableInput,
  plainObject,
  positiveInteger,
  rejectUnknownKeys,
  schedulerLike,
  toInput,
  type Check,
  type Guard,
  type Options,
} from './argument.js';
export { isClientError, type ClientError } from './client-error.js';
export { DecodeError, isDecodeError, type DecodeIssue } from './decode-error.js';
export { describe, textOf } from './describe.js';
export { didYouMean } from './did-you-mean.js';
export { guarded } from './guarded.js';
export { hasTag } from './has-tag.js';
export { InputError, isInputError } from './input-error.js';
export { printable, printableJson } from './printable.js';
export { recovery, type Recovery } from './recovery.js';
export { redact, redactBody, redactError } from './redact.js';
export type { RequestSummary } from './request-summary.js';
export { isFromService, isStatusError, MAX_WAIT, StatusError, type StatusDetails } from './status-error.js';
export { isTransportError, TransportError, type TransportFailure } from './transport-error.js';
