export { createFreeSlot } from './free-slot.js';
export { createSeats, isReturnTicket, type Seats } from './seats.js';
export { createTokenConfirmation, type TokenConfirmation } from './token-confirmation.js';
