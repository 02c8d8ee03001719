/** The heap in use after a full garbage collection, in MB. */
export function heap(): number {
  if (!global.gc) throw new Error('run with --expose-gc: npm run bench');
  for (let i = 0; i < 3; i++) global.gc();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
