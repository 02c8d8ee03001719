// The service that gates ask about players, in a process of its own, over http and https, without
// any of its other work.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { certificate } from './peers.js';

/** Where it is, and whom one has to trust to ask it over https. */
export interface AdmissionService {
  readonly port: number;
  readonly tlsPort: number;
  readonly cert: string;
}

const listener: RequestListener = (request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (part: string) => {
    body += part;
  });
  request.on('end', () => {
    const isJunk = body.includes('junk');
    const text = isJunk ? '{"code":"TOKEN_ERROR","message":"The player token is invalid."}' : '{}';
    response.writeHead(isJunk ? 400 : 200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  });
};

const { cert, key } = await certificate('127.0.0.1');
const ports = [createServer(listener), createTlsServer({ cert, key }, listener)].map(async server => {
  await once(server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }), 'listening');
  return (server.address() as AddressInfo).port;
});
const [port, tlsPort] = (await Promise.all(ports)) as [number, number];
process.on('disconnect', () => process.exit());
process.send!({ port, tlsPort, cert } satisfies AdmissionService);
