import { match, strictEqual } from 'node:assert';
import { createServer } from 'node:http';
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
} from 'node:net';
import { firstValueFrom } from 'rxjs';
import { WebSocket, WebSocketServer } from 'ws';
import { lobbyFindings, type Finding } from '../../../../src/tools/cli/diagnosis/index.js';
import { openGate, type OpenGate } from '../../../integrations/lobby-server/gate.js';
import { virtualTime } from '../../../virtual-time.js';
import { waitUntil } from '../../../wait-until.js';

const ORIGIN = 'https://game.example';
const PROTOCOL = /\r\nSec-WebSocket-Protocol: [^\r]*/i;

type Options = Parameters<typeof openGate>[0];

/** What is at the URL, and what the doctor has to say of it. */
interface Situation {
  readonly port: () => Promise<number>;
  readonly protocol?: 'wss';
  readonly origin?: string;
  /** In which visits the server waits for more. */
  readonly waits?: readonly number[];
  /** How much time passes for each of them, in ms. */
  readonly step?: number;
  readonly expected: readonly RegExp[];
}

describe('doctor, of the way to a lobby', () => {
  const ends: (() => unknown)[] = [];
  let visits = 0;
  let isWaiting: () => boolean | Promise<boolean> = () => true;
  beforeEach(() => {
    visits = 0;
  });
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  const listening = async (server: TcpServer) => {
    ends.push(() => server.close());
    server.listen(0, '127.0.0.1');
    await waitUntil(() => server.address() !== null);
    return (server.address() as AddressInfo).port;
  };
  const page = (status: number, headers: Record<string, string> = {}, text = '') =>
    listening(createServer((_, response) => response.writeHead(status, headers).end(text)));
  /** A server of WebSockets that is no gate. */
  const sockets = (onConnection: (ws: WebSocket) => void) => {
    const server = createServer();
    new WebSocketServer({ server }).on('connection', ws => {
      ends.push(() => ws.terminate());
      visits++;
      onConnection(ws);
    });
    isWaiting = () => true;
    return listening(server);
  };
  const gate = async (options: Options = {}): Promise<number> => {
    const open: OpenGate = await openGate({ token: 'message', ...options });
    ends.push(open.close);
    open.server.on('connection', () => visits++);
    isWaiting = async () => (await firstValueFrom(open.stats$)).waiting === 1;
    return open.port;
  };
  /** A proxy that makes two connections of one, as that of Fastify does. */
  const takingApart = async () => {
    const port = await gate();
    const server = createServer();
    new WebSocketServer({ server }).on('connection', near => {
      const far = new WebSocket(`ws://127.0.0.1:${port}/play`, near.protocol);
      ends.push(() => far.terminate());
      const early: Buffer[] = [];
      near.on('message', (data: Buffer) => (far.readyState === 1 ? far.send(data) : early.push(data)));
      far.on('open', () => early.forEach(data => far.send(data)));
      far.on('close', (code, reason) => near.close(code === 1006 ? 4006 : code, reason));
    });
    return listening(server);
  };
  /** A proxy that removes the subprotocol from the answer to the handshake. */
  const withoutProtocol = async () => {
    const port = await gate();
    return listening(
      createTcpServer(near => {
        const far = connect(port, '127.0.0.1');
        near.pipe(far);
        far.on('data', part => near.write(part.toString('latin1').replace(PROTOCOL, ''), 'latin1'));
        for (const socket of [near, far]) {
          socket.on('error', () => undefined);
          socket.on('close', () => [near.destroy(), far.destroy()]);
        }
      }),
    );
  };

  const SITUATIONS: Readonly<Record<string, Situation>> = {
    'a gate': {
      port: () => gate(),
      waits: [1, 2],
      expected: [/^ok gate: .*from the first message/, /^ok proxy: nothing on the way/],
    },
    'a gate that takes tokens from the query': {
      port: () => gate({ token: 'query' }),
      expected: [/^ok gate: .*from the query \(set token: 'query'\)/],
    },
    'a proxy that takes WebSockets apart': {
      port: takingApart,
      waits: [1, 2, 2],
      expected: [/^ok gate/, /^warning proxy: something on the way takes WebSockets apart.* → better let it/],
    },
    'a proxy that removes the subprotocol': {
      port: withoutProtocol,
      waits: [1, 2],
      expected: [/^ok gate/, /^problem protocol: the answer has lost Sec-WebSocket-Protocol/, /^ok proxy/],
    },
    'a gate at another path': {
      port: () => gate({ path: '/other' }),
      expected: [/^problem gate: a gate is here, but not at this path \(404 no_such_path\) → use the `path`/],
    },
    'a gate for pages': {
      port: () => gate({ allowOrigin: origin => origin === ORIGIN }),
      expected: [/^problem gate: the gate is for pages only \(403 origin\) → ask again with --origin/],
    },
    'a gate for other pages': {
      port: () => gate({ allowOrigin: () => false }),
      origin: ORIGIN,
      expected: [/^problem gate: the gate refuses pages of this origin \(403 origin\) → let its allowOrigin/],
    },
    'a proxy that does not pass upgrades on': {
      port: () => page(200, {}, 'a page'),
      expected: [
        /^problem! lobby: opens no WebSocket \(200\) → check the path; a proxy has to pass upgrades/,
      ],
    },
    'the same, before a server without a page': {
      port: () => {
        isWaiting = () => true;
        return listening(createServer(() => visits++));
      },
      waits: [1],
      step: 15_000,
      expected: [/^problem! lobby: the handshake is not answered → check the path; a proxy has to pass upgr/],
    },
    'a stream of events': {
      port: () => {
        isWaiting = () => true;
        return listening(
          createServer((_, response) => {
            visits++;
            response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
          }),
        );
      },
      waits: [1, 1],
      expected: [/^problem! lobby: opens no WebSocket \(200\) → check the path/],
    },
    'a page that is cut off': {
      port: () =>
        listening(
          createServer((_, response) => {
            response.writeHead(502, { 'content-length': 9 }).write('a', () => response.destroy());
          }),
        ),
      expected: [/^problem! lobby: something answers \(502\), and no lobby/],
    },
    'a port without TLS': {
      port: () => page(200),
      protocol: 'wss',
      expected: [
        /^problem! connection: no TLS connection could be made \(EPROTO\) → .* if not, use ws: or http:$/,
      ],
    },
    'a port without HTTP': {
      port: () => listening(createTcpServer(socket => socket.end('SSH-2.0-OpenSSH\r\n'))),
      expected: [/^problem! connection: this port does not speak HTTP \(HPE_\w+\) → check the port/],
    },
    'a port that speaks TLS': {
      port: () => page(400),
      expected: [
        /^problem! lobby: the server rejects the handshake \(400\) → does it speak TLS\? Then use wss:/,
      ],
    },
    'nginx without a lobby': {
      port: () => page(502, { server: 'nginx/1.22.1' }),
      expected: [/^problem! lobby: nginx answers \(502\), and no lobby → see whether the lobby runs/],
    },
    'a login': {
      port: () => page(302, { location: 'https://login.example/?next=x' }),
      expected: [
        /^problem! lobby: is a redirect \(302\) to https:\/\/login\.example\/, which .* → use its wss: URL/,
      ],
    },
    'a firewall': {
      port: () => page(403),
      expected: [/^problem! lobby: something refuses the handshake \(403\), and no gate → let it pass/],
    },
    nothing: {
      port: async () => {
        const port = await page(200);
        await ends.pop()!();
        return port;
      },
      expected: [/^problem! connection: nothing listens on this port \(ECONNREFUSED\) → check the port/],
    },
    'a server that greets everybody': {
      port: () => sockets(ws => ws.send('welcome')),
      expected: [
        /^problem! lobby: sends a message to a player without a token: it is no gate → check the URL/,
      ],
    },
    'a server that says nothing': {
      port: () => sockets(() => undefined),
      waits: [1, 1, 1, 1, 1, 1, 1, 1, 1],
      expected: [/^problem! lobby: opens a WebSocket, and is silent then: it is no gate → check the URL/],
    },
    'a proxy that loses close frames': {
      port: () => sockets(ws => ws.terminate()),
      expected: [
        /^problem! lobby: ends without a close frame \(1006\) at once → check .* log of the gate has no_token/,
      ],
    },
    'a proxy that loses the reasons of close frames': {
      port: () => sockets(ws => ws.close(4401)),
      expected: [/^problem! lobby: closes as no gate does \(4401, without a reason\) → .* a proxy changes/],
    },
  };

  for (const [title, { port, protocol = 'ws', origin, waits = [], step = 1_000, expected }] of Object.entries(
    SITUATIONS,
  ))
    it(`says what is there, and what to do: ${title}`, async () => {
      const { scheduler, pass } = virtualTime();
      const url = new URL(`${protocol}://127.0.0.1:${await port()}/play`);
      const findings: Finding[] = [];
      let isDone = false;
      lobbyFindings(url, origin, scheduler).subscribe({
        next: finding => findings.push(finding),
        complete: () => {
          isDone = true;
        },
      });
      for (const visit of waits) {
        await waitUntil(async () => visits === visit && (await isWaiting()));
        // The doctor may read only later that the connection is open.
        await waitUntil(() =>
          scheduler.actions.some(({ closed, delay }) => !closed && delay <= scheduler.now() + 8 * step),
        );
        pass(step);
      }
      await waitUntil(() => isDone);
      const said = findings.map(
        ({ level, check, text, advice, isFinal }) =>
          `${level}${isFinal ? '!' : ''} ${check}: ${text} → ${advice}`,
      );
      strictEqual(said.length, expected.length, said.join('\n'));
      for (const [i, text] of said.entries()) match(text, expected[i]!);
    });
});
