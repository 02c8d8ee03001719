export { errorLine, type FreeSlotReason, type GateLogEntry } from './gate-log-entry.js';
export { GateReport, type PlayerLeft } from './gate-report.js';
export { gateStatsOf, type GateStats } from './gate-stats.js';
export { inSeconds, REFUSALS, refusalFor, type Refusal } from './refusal.js';
