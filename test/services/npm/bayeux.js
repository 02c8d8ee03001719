// A server of Bayeux, made by Faye: node bayeux.js PORT
import { createServer } from 'node:http';
import faye from 'faye';

const [, , port] = process.argv;
const server = createServer();
new faye.NodeAdapter({ mount: '/faye', timeout: 3 }).attach(server);
server.listen(Number(port), '127.0.0.1');
// Whoever has started it is gone.
process.stdin.on('end', () => process.exit()).resume();
