export { answerControl, CONTROL_PATH, type ControlAccess } from './answer-control.js';
export type { CommandUsage, ControlResult } from './command.js';
export { createControl, type Control } from './control.js';
