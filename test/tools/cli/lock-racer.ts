// Locks the checkpoint that each line of standard input names, at the time that it names, and
// prints what has come of it.
import { createInterface } from 'node:readline';
import { lockCheckpoint } from '../../../src/tools/cli/checkpoint/checkpoint-lock.js';

process.setMaxListeners(0);
for await (const line of createInterface(process.stdin)) {
  const [at, path] = JSON.parse(line) as [number, string];
  // Busy, because a timer is too coarse: all racers must start within microseconds.
  while (Date.now() < at);
  try {
    lockCheckpoint(path);
    console.log('locked');
  } catch (error) {
    console.log((error as Error).message);
  }
}
