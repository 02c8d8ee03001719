// Lets a runtime ask a service that only the proxy of its environment reaches: `node in-proxy.js COMMAND…`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';

// Answers in the place of the service, as a proxy passes its answer on.
const proxy = createServer((request, response) => response.end(`${request.method} ${request.url}`));
proxy.listen(0, '127.0.0.1');
await once(proxy, 'listening');

const url = `http://127.0.0.1:${proxy.address().port}`;
const [command, ...options] = process.argv.slice(2);
const env = { ...process.env, HTTP_PROXY: url, http_proxy: url, NO_PROXY: '', no_proxy: '' };
const child = spawn(command, [...options, 'proxied.js'], { stdio: 'inherit', env });
[process.exitCode] = await once(child, 'exit');
proxy.closeAllConnections();
proxy.close();
