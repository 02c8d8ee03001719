export { openCheckpoint, type CheckpointFile } from './checkpoint-file.js';
