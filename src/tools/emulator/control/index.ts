export { answerControl, CONTROL_PATH, type ControlAccess } from './answer-control.js';
export type { ControlResult } from './commands.js';
export { createControl, type Control } from './control.js';
