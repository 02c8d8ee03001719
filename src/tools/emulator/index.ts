/**
 * The service in memory, with faults, for tests and demos.
 *
 * @module lobby-rx/emulator
 */

export { createControl, type CommandUsage, type Control, type ControlResult } from './control/index.js';
export {
  seedWorld,
  simulateActivity,
  type Activity,
  type ActivityConfig,
  type SeedConfig,
  type SeededWorld,
} from './demo/index.js';
export { createEmulator, type Emulator, type EmulatorConfig } from './emulator.js';
export {
  faultKinds,
  type DeliveryFault,
  type EditedAnswer,
  type Fault,
  type FaultCounts,
  type FaultPlan,
  type PlannedFault,
  type ReplacedAnswer,
  type ServerQuirk,
} from './fault/index.js';
export { listen, type EmulatorServer, type ListenConfig } from './listen.js';
export type { RecordedRequest } from './recorded-request.js';
export type {
  ResponseDelivery,
  EmulatedRequest,
  EmulatedResponse,
  Handler,
  ServiceConfig,
  ServiceUrls,
} from './service/index.js';
export type {
  AddedIdentity,
  AddedLobby,
  LobbyPlan,
  PlayerCount,
  PlayerState,
  SavedWorld,
  WorldConfig,
  WorldRecords,
} from './world/index.js';
