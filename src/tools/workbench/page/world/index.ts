export { Groups } from './groups.js';
export { Lobbies } from './lobbies.js';
