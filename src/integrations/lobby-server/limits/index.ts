export { createGateLimits, type GateLimits } from './fair-limit.js';
export { networksOf, plainAddress } from './networks.js';
export { Pause } from './pause.js';
