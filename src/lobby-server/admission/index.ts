export { createFirstMessageAdmission } from './first-message-admission.js';
export {
  createPendingSocket,
  type PendingSocket,
  type RequestDetails,
  type Responder,
} from './pending-socket.js';
export { REFUSALS, type Refusal } from './refusal.js';
export { createTokenAdmission } from './token-admission.js';
