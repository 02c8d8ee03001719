// A proxy of @fastify/http-proxy: node fastify-proxy.js PORT UPSTREAM
import proxy from '@fastify/http-proxy';
import fastify from 'fastify';

const [, , port, upstream] = process.argv;
const server = fastify();
await server.register(proxy, { upstream, websocket: true });
await server.listen({ host: '127.0.0.1', port: Number(port) });
// Whoever has started it may be gone by then.
setTimeout(() => process.exit(), 600_000);
