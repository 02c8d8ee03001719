export { AdmittedPlayers } from './admitted-players.js';
export { isReturnTicket } from './return-ticket.js';
export { TokenConfirmation } from './token-confirmation.js';
