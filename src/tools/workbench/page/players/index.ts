export { Counts, Players } from './players.js';
export { playersOf, type Tone } from './players-of.js';
