// A server of Durable Streams that keeps its streams in files: node durable-streams.js PORT FOLDER
import { DurableStreamTestServer } from '@durable-streams/server';

const [, , port, dataDir] = process.argv;
const server = new DurableStreamTestServer({
  host: '127.0.0.1',
  port: Number(port),
  dataDir,
  longPollTimeout: 3_000,
});
await server.start();
// Whoever has started it is gone.
process.stdin.on('end', () => process.exit()).resume();
