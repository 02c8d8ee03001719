export {
  aBoolean,
  aFunction,
  checkArgument,
  checkOptions,
  clock,
  cursor,
  cursorArgument,
  given,
  isWellFormed,
  milliseconds,
  nearestName,
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
export { isClientError, isRetryable, type ClientError } from './client-error.js';
export { DecodeError, isDecodeError, type DecodeIssue } from './decode-error.js';
export { describe, printable, printableJson, shapeOf, textOf } from './describe.js';
export { guarded, readOr } from './guarded.js';
export { InputError, isInputError } from './input-error.js';
export { recovery, type Recovery } from './recovery.js';
export { redact, redactBody, redactError } from './redact.js';
export { isFromService, isStatusError, MAX_WAIT, StatusError, type StatusDetails } from './status-error.js';
export { causeOf, hasTag, isOwnError, MAX_CAUSES, type RequestSummary } from './tagged-error.js';
export { isTransportError, TransportError, type TransportFailure } from './transport-error.js';
export { answerBehind, isUnauthorizedError, UnauthorizedError } from './unauthorized-error.js';
