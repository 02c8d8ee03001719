export type { Audience } from './audience.js';
export { answers, watch, watchSignals } from './watch.js';
export { continuedSignals, type WatchContinuity } from './continued-signals.js';
export {
  WATCH_OPTIONS,
  watchSettings,
  type AckDecision,
  type Poll,
  type PollContext,
  type WatchConfig,
} from './watch-config.js';
export { isRealTime } from './watch-index.js';
export type { Recalled, WatchMemory } from './watch-memory.js';
export type { WatchLogEntry } from './watch-log.js';
export {
  checkpointOf,
  connecting,
  type Checkpoint,
  type Gap,
  type GapReason,
  type ResumableWatch,
  type SharedWatch,
  type WatchSharing,
  type WatchSignal,
  type WatchStatus,
} from './watch-signal.js';
export { abandoned, movedTo } from './watch-turn.js';
