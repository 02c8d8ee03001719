export { backoff, BACKOFF_OPTIONS, backoffDelay, type BackoffConfig, type RetryConfig } from './backoff.js';
export { isRealTime, monotonicClock, TESTING_OPTIONS, type Clocks, type TestingConfig } from './clocks.js';
export {
  audienceFeed,
  eventFeed,
  KINDS,
  ofKind,
  type EventFeed,
  type EventFeedConfig,
} from './event-feed.js';
export { heldSignals, heldWhile, runWhile, type Audience, type HeldWhileConfig } from './held-while.js';
export { clockJumps, defaultWake, pageEvents, pageWake, type ClockJumpsConfig } from './wake.js';
export {
  WATCH_OPTIONS,
  watchSettings,
  type AckDecision,
  type AckResult,
  type AnswerSettings,
  type Indexed,
  type IndexingConfig,
  type Poll,
  type PollContext,
  type Polled,
  type SinglePoll,
  type WatchConfig,
  type WatchSettings,
} from './watch-config.js';
export {
  answers,
  changedStatus,
  checkpointOf,
  connecting,
  type Checkpoint,
  type Gap,
  type GapReason,
  type ResumableWatch,
  type SharedWatch,
  type StatusChange,
  type WatchLogEntry,
  type WatchSharing,
  type WatchSignal,
  type WatchStatus,
} from './watch-signal.js';
export { ageLimit, spreadWait } from './turn/index.js';
export { continuingWatch, watch, watchSignals } from './watch.js';
