export { Countdown } from './countdown.js';
export { createGateLimits, type GateLimits } from './fair-limit.js';
export { networksOf, plainAddress } from './networks.js';
