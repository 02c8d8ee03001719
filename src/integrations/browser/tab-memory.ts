import type { Heartbeat } from './heartbeat.js';
import type { RelayedLog } from './relayed-log.js';

/** The memory of a tab from one subscription to the next. */
export interface TabMemory<A> {
  readonly id: string;
  readonly log: RelayedLog<A>;
  readonly heartbeat: Heartbeat;
  /** The number of the newest leader. Each leader has a greater one than those before. */
  epoch: number;
}
