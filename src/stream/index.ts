export {
  ageLimit,
  ageOf,
  backoff,
  BACKOFF_OPTIONS,
  backoffDelay,
  defaultWake,
  every,
  instant,
  isRealTime,
  monotonicClock,
  pageEvents,
  pageWake,
  spreadWait,
  TESTING_OPTIONS,
  TokenBucket,
  type BackoffConfig,
  type Clocks,
  type FillRate,
  type Instant,
  type RetryConfig,
  type TestingConfig,
} from './timing/index.js';
export {
  audienceFeed,
  eventFeed,
  KINDS,
  ofKind,
  type EventFeed,
  type EventFeedConfig,
  type FeedSource,
  queuedSignals,
  runWhile,
  type Audience,
} from './feed/index.js';
export { awaited, flattened, reportSlow, type Awaitable } from './awaited.js';
export type { Poll, PollContext, Polled, PollSignal, SinglePoll } from './poll.js';
export {
  WATCH_OPTIONS,
  type AckDecision,
  type AckResult,
  type Indexed,
  type IndexingConfig,
  type PolledService,
  type ServiceConfig,
  type WatchConfig,
} from './watch-config.js';
export type { OwnReading, Reading } from './reading.js';
export { watchSettings, type AnswerSettings, type WatchSettings } from './watch-settings.js';
export {
  answers,
  checkpointOf,
  connecting,
  idle,
  type Checkpoint,
  type Gap,
  type GapReason,
  type ResumableWatch,
  type SharedWatch,
  type StatusSignal,
  type WatchLogEntry,
  type WatchSharing,
  type WatchSignal,
  type WatchStatus,
} from './watch-signal.js';
export { continuingWatch } from './continuing-watch.js';
export { watch, watchSignals } from './watch.js';
export { firstState, transition, type WatchEvent } from './transition/index.js';
