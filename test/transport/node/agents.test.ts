import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get, type Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createAgents } from '../../../src/transport/node/agents.js';

/**
 * A server that accepts one connection after the other: while it is stopped, those beyond its queue
 * have to try again.
 */
const SERVER = `
  const server = require('node:http').createServer((_, response) => response.end('hello'));
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => console.log(server.address().port));
  process.on('disconnect', () => process.exit());
`;

describe('a connection to a host of several addresses', () => {
  it('is made at the next attempt, although its handshake takes longer than Node waits for an address', async () => {
    const child = spawn(process.execPath, ['-e', SERVER], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    const [line] = (await once(child.stdout!, 'data')) as [Buffer];
    const port = Number(line.toString());
    const waiting: Socket[] = [];
    try {
      child.kill('SIGSTOP');
      for (let i = 0; i < 8; i++) waiting.push(connect(port, '127.0.0.1').on('error', () => undefined));
      await once(waiting[0]!, 'connect');
      // As of a host whose second address is not reached from here.
      const lookup = (_: string, __: object, found: (error: null, addresses: object[]) => void) =>
        found(null, [
          { address: '127.0.0.1', family: 4 },
          { address: '::1', family: 6 },
        ]);
      const agentOf = createAgents({ lookup } as object);
      const url = `http://slow.example:${port}/`;
      const answerTo = async (onSent?: () => void) => {
        const request = get(url, { agent: agentOf(url, true) });
        onSent?.();
        const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream];
        return String(((await once(response, 'data')) as [Buffer])[0]);
      };
      const error = await answerTo().catch((error: unknown) => error as { readonly code?: string });
      ok(typeof error === 'object', error as string);
      // Nothing of it is accepted before it tries again.
      const hello = await answerTo(() => void setImmediate(() => child.kill('SIGCONT')));
      strictEqual(hello, 'hello');
    } finally {
      for (const socket of waiting) socket.destroy();
      child.kill('SIGCONT');
      child.disconnect();
    }
  });
});

describe('the options of a request', () => {
  const versions = Object.getOwnPropertyDescriptor(process, 'versions')!;
  afterEach(() => {
    Object.defineProperty(process, 'versions', versions);
  });

  /** What an agent connects with for a request that has more options than an address. */
  function connectedWith(): Readonly<Record<string, unknown>> {
    let given: object = {};
    const agent = createAgents()('http://a.example/', true) as Agent & {
      addRequest(request: object, options: object): void;
      createSocket(request: object, options: object): void;
    };
    agent.createSocket = (_, options) => {
      given = options;
    };
    agent.addRequest(
      { getHeader: () => undefined },
      { protocol: 'http:', host: 'a.example', port: 80, headers: {}, _proxy: 'p' },
    );
    return given as Readonly<Record<string, unknown>>;
  }

  it('are not kept by its socket, but for the address', () => {
    const { host, headers, _proxy } = connectedWith();
    deepStrictEqual({ host, headers, _proxy }, { host: 'a.example', headers: undefined, _proxy: undefined });
  });

  it('are all passed on in Deno, to which some of them say which proxy to use', () => {
    const value = { ...process.versions, deno: '2.9.6' };
    Object.defineProperty(process, 'versions', { ...versions, value });
    const { _proxy } = connectedWith();
    strictEqual(_proxy, 'p');
  });
});
