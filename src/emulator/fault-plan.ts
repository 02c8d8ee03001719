import type { EmulatedRequest } from './emulated-request.js';

/** Which requests a fault befalls. */
export interface FaultPlan {
  /** How many, before it is over. Default 1; `Infinity` for as long as it is not taken back. */
  readonly times?: number;
  /** With what probability each, from 0 to 1, under the emulator's seed. Default 1. */
  readonly probability?: number;
  /** Only those that this says yes to. Default: all. */
  readonly only?: (request: EmulatedRequest) => boolean;
}
