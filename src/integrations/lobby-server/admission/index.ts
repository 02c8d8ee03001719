export { createFirstMessageAdmission } from './first-message-admission.js';
export { createHookQueue } from './hook-queue.js';
export { createPendingSocket, type PendingSocket, type Responder } from './pending-socket.js';
export { createGatePlaces } from './places.js';
export { REFUSALS, type Refusal } from './refusal.js';
export { createTokenAdmission } from './token-admission.js';
export { createTokenConfirmation } from './token-confirmation.js';
