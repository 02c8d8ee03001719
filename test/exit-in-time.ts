// With --parallel, mocha kills a worker that takes longer than a second to exit. On a busy machine,
// V8 needs longer to write what it has counted, and all of it would be lost. A signal that has a
// listener does not end a process, and nothing is left to run at an exit.
process.on('SIGTERM', () => undefined);
