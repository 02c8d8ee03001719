import { deepStrictEqual, ok } from 'node:assert';
import type { Socket } from 'node:net';
import { defer, lastValueFrom, of, throwError, toArray } from 'rxjs';
import { InputError } from 'lobby-rx';
import { waitUntil } from '../../../wait-until.js';
import { openGate, type OpenGate } from '../gate.js';
import { connectRaw } from '../raw-client.js';
import { connectPlayer, tryConnect } from '../connect-player.js';

const pending = ({ emulator }: OpenGate, token: string) => emulator.playerState(token) === 'reserved';

describe('lobbyGate, when players leave', () => {
  let gate: OpenGate;
  const at = (query = '') => `ws://127.0.0.1:${gate.port}/${query}`;
  afterEach(() => gate.close());

  const socketsOf = ({ server }: OpenGate) => {
    const sockets: Socket[] = [];
    server.on('connection', socket => sockets.push(socket));
    return sockets;
  };
  const disconnects: readonly (readonly [string, (socket: Socket) => void])[] = [
    ['ends', socket => socket.end()],
    ['is cut', socket => socket.destroy()],
    ['is reset', socket => socket.resetAndDestroy()],
    ['sends data before the answer', socket => socket.write('x')],
    ['ends after data that nobody has read', socket => socket.end('x'.repeat(1_000_000))],
  ];
  for (const [how, disconnect] of disconnects) {
    it(`does not admit a player whose connection ${how} while their token is being confirmed, and frees their slot once`, async () => {
      gate = await openGate({ holdRequests: true });
      const token = gate.reserveToken();
      const sockets = socketsOf(gate);
      const client = await connectRaw(gate.port, `/?token=${token}`);
      await waitUntil(() => gate.heldRequests() === 1);
      disconnect(client);
      await waitUntil(() => sockets[0]!.destroyed);
      ok(pending(gate, token) && gate.left.length === 0);

      gate.sendHeldRequests();
      await waitUntil(() => gate.left.length === 1);
      deepStrictEqual(
        [gate.left, gate.admitted, gate.emulator.playerState(token)],
        [[token], [], 'connected'],
      );
    });
  }

  it('frees no slot of a player who left before their token was refused', async () => {
    gate = await openGate({ holdRequests: true });
    const sockets = socketsOf(gate);
    const client = await connectRaw(gate.port, '/?token=wrong');
    await waitUntil(() => gate.heldRequests() === 1);
    client.destroy();
    await waitUntil(() => sockets[0]!.destroyed);
    gate.sendHeldRequests();
    await waitUntil(() => gate.emulator.requests.some(({ status }) => status === 400));
    await tryConnect(at('?token='));
    deepStrictEqual([gate.left, gate.admitted], [[], []]);
  });

  it('frees no slot of a player who sent a wrong token and left', async () => {
    gate = await openGate({ holdRequests: true, token: 'message' });
    const { ws, closed } = await connectPlayer(at());
    ws.send('wrong');
    await waitUntil(() => gate.heldRequests() === 1);
    ws.close();
    await closed;
    gate.sendHeldRequests();
    await waitUntil(() => gate.emulator.requests.some(({ status }) => status === 400));
    await tryConnect(at('?token='));
    deepStrictEqual([gate.left, gate.admitted], [[], []]);
  });

  it('does not admit a player who sends their token and leaves before it is confirmed', async () => {
    gate = await openGate({ holdRequests: true, token: 'message' });
    const token = gate.reserveToken();
    const { ws, closed } = await connectPlayer(at());
    ws.send(token);
    ws.close();
    await closed;
    gate.sendHeldRequests();
    await waitUntil(() => gate.left.length === 1);
    deepStrictEqual([gate.left, gate.admitted], [[token], []]);
  });

  it('forgets players who leave before their first message', async () => {
    gate = await openGate({ token: 'message', maxPending: 1 });
    for (let i = 0; i < 5; i++) {
      const { ws, closed } = await connectPlayer(at());
      ws.terminate();
      await closed;
    }
    deepStrictEqual([gate.left, gate.admitted, gate.log], [[], [], []]);
  });

  it('frees the slot of each player who leaves once, however they leave', async () => {
    gate = await openGate();
    const tokens = [gate.reserveToken(), gate.reserveToken(), gate.reserveToken()];
    const results = [];
    for (const token of tokens) results.push(await connectPlayer(at(`?token=${token}`)));
    await waitUntil(() => gate.admitted.length === 3);
    const ends: unknown[] = [];
    for (const { closed$ } of gate.admitted) closed$.subscribe(end => ends.push(end));

    results[0]!.ws.close(4000, 'bored');
    await waitUntil(() => gate.left.length === 1);
    results[1]!.ws.terminate();
    await waitUntil(() => gate.left.length === 2);
    gate.admitted[2]!.close(4001, 'kicked');
    gate.admitted[2]!.close(4002, 'kicked again');
    await waitUntil(() => gate.left.length === 3);

    deepStrictEqual(gate.left, tokens);
    deepStrictEqual(ends, [
      { code: 4000, reason: 'bored' },
      { code: 1006, reason: '' },
      { code: 4001, reason: 'kicked' },
    ]);
    deepStrictEqual(await results[2]!.closed, { code: 4001, reason: 'kicked' });
    // Late subscribers get the value, too.
    deepStrictEqual(await lastValueFrom(gate.admitted[0]!.closed$), { code: 4000, reason: 'bored' });
    deepStrictEqual(await lastValueFrom(gate.admitted[0]!.message$.pipe(toArray())), []);
    gate.admitted[0]!.send('dropped');
    gate.admitted[0]!.close();
  });

  it('subscribes to whatever freeSlot returns, and logs its failure', async () => {
    let freed = 0;
    const hooks: readonly ((token: string) => unknown)[] = [
      token => {
        throw new Error(`broken by ${token}`);
      },
      () => Promise.reject(new Error('refused')),
      () => throwError(() => new InputError('token', 'one', 'none')),
      () => {
        throw Object.create(null);
      },
      () => Promise.resolve(freed++),
      () => defer(() => of(freed++)),
      () => setTimeout(() => freed++),
      () => null,
    ];
    const tokens: string[] = [];
    gate = await openGate({ freeSlot: token => hooks[tokens.indexOf(token)]!(token) as Promise<void> });
    const settled = () => gate.log.filter(({ kind }) => kind === 'freed' || kind === 'hook_failed').length;
    for (let i = 1; i <= hooks.length; i++) {
      tokens.push(gate.reserveToken());
      const { ws } = await connectPlayer(at(`?token=${tokens.at(-1)}`));
      ws.close();
      await waitUntil(() => {
        gate.pass(60_000);
        return settled() === i;
      });
    }
    await waitUntil(() => freed === 3);
    deepStrictEqual(
      gate.log.flatMap(entry => (entry.kind === 'hook_failed' ? [[entry.hook, entry.error]] : [])),
      [
        ['freeSlot', 'Error'],
        ['freeSlot', 'Error'],
        ['freeSlot', 'InputError: token must be one; got none'],
        ['freeSlot', 'object'],
      ],
    );
  });
});
