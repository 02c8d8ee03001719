export type { DeliveryFault } from './delivery-fault.js';
export type { EditedAnswer } from './edited-answer.js';
export {
  createFaultInjector,
  type FaultCounts,
  type FaultPlan,
  type PlannedFault,
} from './fault-injector.js';
export { FAULT_FIELDS, faultKinds, type Fault } from './fault.js';
export type { ReplacedAnswer } from './replaced-answer.js';
export type { ServerQuirk } from './server-quirk.js';
