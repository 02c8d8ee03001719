export {
  TESTING_OPTIONS,
  instant,
  instantAt,
  ageOf,
  aheadSince,
  hasSlept,
  monotonicClock,
  isRealTime,
  ageLimit,
  margin,
  type TestingConfig,
  type Clocks,
  type Instant,
} from './clocks.js';
export {
  BACKOFF_OPTIONS,
  backoffSettings,
  backoffDelay,
  backoff,
  type BackoffConfig,
  type RetryConfig,
} from './backoff.js';
export { spreadWait, spreadOver } from './spread.js';
export { TokenBucket, type FillRate } from './token-bucket.js';
export {
  defaultWake,
  clockJumps,
  every,
  pageWake,
  pageOffline,
  isPrerendering,
  whenShown,
  isPage,
  pageEvents,
} from './wake.js';
