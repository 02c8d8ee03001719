export { answers, watch, watchSignals } from './watch.js';
export { WATCH_OPTIONS, watchSettings, type Poll, type WatchConfig } from './watch-config.js';
export type { Checkpoint, Gap, GapReason, WatchLogEntry, WatchSignal, WatchStatus } from './watch-signal.js';
