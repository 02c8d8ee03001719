export { Players, VerdictView } from './players.js';
export { playersOf } from './players-of.js';
