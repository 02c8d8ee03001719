export { Happened } from './happened.js';
