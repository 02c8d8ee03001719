export { fleet } from './fleet.js';
