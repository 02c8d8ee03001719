// A server of Bayeux: node bayeux.js PORT faye|cometd
import { createServer } from 'node:http';
import cometd from 'cometd-nodejs-server';
import acknowledgements from 'cometd-nodejs-server/ack-extension.js';
import faye from 'faye';

const [, , port, kind] = process.argv;
const server = createServer();
if (kind === 'faye') new faye.NodeAdapter({ mount: '/faye', timeout: 3 }).attach(server);
else {
  const sessions = cometd.createCometDServer({ timeout: 3_000, maxInterval: 2_000 });
  sessions.addExtension(new acknowledgements.AcknowledgedMessagesExtension());
  server.on('request', (request, response) =>
    request.method === 'POST' ? sessions.handle(request, response) : response.writeHead(405).end(),
  );
}
server.listen(Number(port), '127.0.0.1');
// Whoever has started it is gone.
process.stdin.on('end', () => process.exit()).resume();
