export { Counts, Players } from './players.js';
export { playersOf, type Player, type Tone } from './players-of.js';
