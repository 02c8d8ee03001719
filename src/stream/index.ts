export { backoff, type BackoffConfig, type RetryConfig } from './backoff.js';
export { clockJumps, type ClockJumpsConfig } from './clock-jumps.js';
export { either, type Either } from './either.js';
export { eventFeed, ofKind, type EventFeed, type EventFeedConfig } from './event-feed.js';
export { fold } from './fold.js';
export { jsonHash, textHash } from './json-hash.js';
export { jsonEqual } from './json-equal.js';
export { isPage, pageEvents, pageWake } from './page-wake.js';
export { pages, type PagesConfig } from './pages.js';
export { ramp, RateLimit, type RampConfig } from './rate-limit.js';
export { observableInput, toInput } from './to-input.js';
export {
  abandoned,
  answers,
  checkpointOf,
  connecting,
  continuedSignals,
  isRealTime,
  movedTo,
  watch,
  WATCH_OPTIONS,
  watchSettings,
  watchSignals,
  type AckDecision,
  type Audience,
  type Checkpoint,
  type Gap,
  type GapReason,
  type Poll,
  type PollContext,
  type Recalled,
  type ResumableWatch,
  type SharedWatch,
  type WatchConfig,
  type WatchContinuity,
  type WatchLogEntry,
  type WatchMemory,
  type WatchSharing,
  type WatchSignal,
  type WatchStatus,
} from './watch/index.js';
