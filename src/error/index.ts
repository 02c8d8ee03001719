export {
  expectRejections,
  guarded,
  isAwaitable,
  isPromise,
  isSubscription,
  isUnwaitable,
  tryOr,
} from './callback/index.js';
export { isClientError, type ClientError } from './client-error.js';
export { isRetryable, mayHaveActed } from './retryable.js';
export { DecodeError, isDecodeError, NOTHING, type DecodeIssue } from './decode-error.js';
export { describe, printable, printableJson, shapeOf, textOf } from './describe.js';
export {
  aBoolean,
  aFunction,
  anAnswer,
  anAnswerObject,
  anObservable,
  answeredAtOnce,
  aPlainValue,
  atOnce,
  checkArgument,
  clock,
  cursor,
  cursorArgument,
  duration,
  fieldsOf,
  isWellFormed,
  milliseconds,
  nonEmptyString,
  observableInput,
  plainObject,
  positiveInteger,
  schedulerLike,
  valueAt,
  type Check,
  type Guard,
} from './guard.js';
export { InputError, isInputError } from './input-error.js';
export { checkOptions, definedOptions, nearestName, rejectUnknownKeys, type Options } from './options.js';
export { CHECK_URL, HELD_MS, recovery, unknownRecovery, type Recovery } from './recovery.js';
export { redact, redactBody, redactError } from './redact.js';
export { MAX_WAIT_MS, retryAfter } from './retry-after.js';
export {
  failedResponse,
  isFromService,
  isServiceCode,
  isStatusError,
  pausesOthers,
  StatusError,
  type StatusDetails,
} from './status-error.js';
export { causeOf, hasTag, isOwnError, MAX_CAUSES, TaggedError, type RequestSummary } from './tagged-error.js';
export { isTransportError, TransportError, type TransportFailure } from './transport-error.js';
export { answerBehind, isUnauthorizedError, UnauthorizedError } from './unauthorized-error.js';
