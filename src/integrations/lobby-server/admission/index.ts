export { createFreeSlot } from './free-slot.js';
export { createSeats, isReturnTicket } from './seats.js';
export { createTokenConfirmation } from './token-confirmation.js';
