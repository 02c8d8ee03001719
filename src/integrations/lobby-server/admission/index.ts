export { AdmittedPlayers } from './admitted-players.js';
export { TokenConfirmation } from './token-confirmation.js';
