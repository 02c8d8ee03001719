import { deepStrictEqual, strictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import ReconnectingWebSocket from 'partysocket/ws';
import { map, mergeMap, Subject } from 'rxjs';
import { WebSocket } from 'ws';
import { waitUntil } from '../../wait-until.js';
import { openGate, type OpenGate } from './gate.js';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/lobby-server.md'), 'utf8');

/** The first code of a section, without its imports, as a function of what it uses. */
function recipe(heading: string, names: readonly string[], result = 'undefined') {
  const [, code] = new RegExp(`^## ${heading}$[^]*?\`\`\`[jt]s\n([^]*?)\`\`\``, 'm').exec(PAGE)!;
  const program = transformSync(code!.replace(/^import .*$/m, ''), { loader: 'ts' }).code;
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  return new Function(...names, `${program}; return ${result};`) as (...values: unknown[]) => unknown;
}

describe("The player's code of the page", () => {
  let gate: OpenGate;
  const sockets: { close(): void }[] = [];
  beforeEach(async () => {
    gate = await openGate({ token: 'message', grace: 30_000, path: '/play' });
    const openings$ = gate.gate$.pipe(
      mergeMap(player => player.status$.pipe(map(status => ({ player, status })))),
    );
    openings$.subscribe(({ player, status }) => {
      const { returnTicket: ticket } = player;
      if (status === 'open') player.send(JSON.stringify({ text: 'Welcome.', ticket }));
    });
  });
  afterEach(async () => {
    for (const socket of sockets) socket.close();
    sockets.length = 0;
    await gate.close();
  });

  const count = (kind: string) => gate.log.filter(entry => entry.kind === kind).length;
  const url = () => `ws://127.0.0.1:${gate.port}`;

  /** A tab that has joined with this secret. */
  const openTab = (secret: string) => {
    const shown: unknown[][] = [];
    const waits: (() => void)[] = [];
    const lobbyJoin$ = new Subject<object>();
    class TabSocket extends WebSocket {
      constructor(address: string) {
        super(address);
        sockets.push(this);
      }
    }
    const names = ['client', 'lobbyAddress', 'WebSocket', 'setTimeout', 'console'];
    recipe("The player's side", names)(
      { events: { feed: { lobbyJoin$ } } },
      () => ({ url: url() }),
      TabSocket,
      (work: () => void) => waits.push(work),
      { log: (...values: unknown[]) => shown.push(values) },
    );
    lobbyJoin$.next({ player: { token: secret } });
    return { shown, waits };
  };

  it('ends in the tab whose ticket another one has used: they do not throw each other out', async () => {
    const first = openTab(gate.reserveToken());
    await waitUntil(() => first.shown.length === 1);
    const second = openTab(gate.admitted[0]!.returnTicket);
    await waitUntil(() => second.shown.length === 1 && first.shown.length === 2);
    deepStrictEqual(first.shown, [['Welcome.'], [4409, 'replaced']]);
    deepStrictEqual([first.waits, second.waits, count('returned')], [[], [], 1]);
  });

  it('comes back when the connection drops, and not after the gate has been closed', async () => {
    const tab = openTab(gate.reserveToken());
    await waitUntil(() => tab.shown.length === 1);
    (sockets[0] as WebSocket).terminate();
    await waitUntil(() => tab.waits.length === 1);
    await waitUntil(() => count('away') === 1);
    tab.waits[0]!();
    await waitUntil(() => count('returned') === 1 && tab.shown.length === 2);
    gate.admitted[0]!.close(1001, 'gate_closed');
    await waitUntil(() => tab.shown.length === 3);
    deepStrictEqual([tab.shown[2], tab.waits.length], [[1001, 'gate_closed'], 1]);
  });

  it('keeps the place of a player whose library reconnects by itself', async () => {
    class Quick extends ReconnectingWebSocket {
      constructor(address: string, protocols: string[], options: object) {
        super(address, protocols, {
          ...options,
          WebSocket,
          minReconnectionDelay: 1,
          maxReconnectionDelay: 1,
        });
        sockets.push(this);
      }
    }
    const names = ['ReconnectingWebSocket', 'url', 'secret'];
    const use = recipe('Reconnecting', names, '{ socket, comeBack }');
    const { socket, comeBack } = use(Quick, `${url()}/play`, gate.reserveToken()) as {
      readonly socket: Quick;
      readonly comeBack: () => void;
    };
    const welcomes: unknown[] = [];
    socket.addEventListener('message', ({ data }) => welcomes.push(data));
    await waitUntil(() => welcomes.length === 1);
    socket.send('is there anybody');
    comeBack();
    socket.send('this is lost, and does not come before the ticket');
    await waitUntil(() => welcomes.length === 2);
    gate.pass(1_000);
    deepStrictEqual([gate.left, count('returned'), gate.admitted.length], [[], 1, 1]);

    gate.admitted[0]!.close(4001, 'kicked');
    await waitUntil(() => socket.readyState === socket.CLOSED && gate.left.length === 1);
    strictEqual(socket.shouldReconnect, false);
  });
});
