export { Strip } from './strip.js';
