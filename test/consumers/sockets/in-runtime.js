// Lets a runtime ask a server in Node, which sees what becomes of the sockets: `node in-runtime.js COMMAND…`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';

const TEXT = JSON.stringify({ members: 'Ada '.repeat(1000) });
let held = 0;
let read = 0;

const server = createServer((request, response) => {
  request.resume();
  if (request.url === '/gzip') {
    const isAsked = /gzip/.test(request.headers['accept-encoding']);
    response.setHeader('content-encoding', isAsked ? 'gzip' : 'identity');
    response.end(isAsked ? gzipSync(TEXT) : TEXT);
  } else if (request.url === '/held') {
    held++;
    response.on('close', () => held--);
  } else if (request.url === '/cut') {
    response.writeHead(200, { 'content-length': 100 });
    response.write('{"a', () => response.destroy());
  } else if (request.url === '/read') {
    request.on('end', () => {
      read++;
      request.socket.destroy();
    });
  } else if (request.url === '/how-often-read') response.end(`${read}`);
  else if (request.url === '/how-many') response.end(`${held}`);
  else response.end(`${request.socket.remotePort}`);
}).listen(0, '127.0.0.1');
await once(server, 'listening');

const [command, ...options] = process.argv.slice(2);
const url = `http://127.0.0.1:${server.address().port}`;
const child = spawn(command, [...options, 'sockets.js', url], { stdio: 'inherit' });
[process.exitCode] = await once(child, 'exit');
server.closeAllConnections();
server.close();
