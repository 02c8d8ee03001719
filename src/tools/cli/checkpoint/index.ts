export { openCheckpoint } from './checkpoint-file.js';
