import { deepStrictEqual, strictEqual, throws } from 'node:assert';
import { NEVER } from 'rxjs';
import { lobbyConnection } from 'lobby-rx';
import { lobbyState } from 'lobby-rx/views';
import { fakeSockets } from '../../player/fake-gate.js';

function lobby() {
  const { opened, WebSocket } = fakeSockets();
  const entrance = { url: 'wss://lobby.example/play', token: 'token' };
  return { opened, connection: lobbyConnection(entrance, { WebSocket, wake$: NEVER }) };
}

describe('the state of a lobby', () => {
  it('has the status and the last message, and is the same for the same connection', () => {
    const { opened, connection } = lobby();
    const state = lobbyState(connection, { linger: 0 });
    strictEqual(lobbyState(connection), state);
    deepStrictEqual([state.value.status.state, opened.length], ['idle', 0]);
    const lines: string[] = [];
    const seen = state.subscribe(({ status, message }) => lines.push(`${status.state} ${String(message)}`));
    opened[0]!.admit('return.1', 30_000).say('hello');
    strictEqual(state.value, state.value);
    seen.unsubscribe();
    deepStrictEqual(lines, ['connecting undefined', 'live undefined', 'live hello']);
    deepStrictEqual([state.value.status.state, opened[0]!.closed?.code], ['idle', 1000]);
  });

  it('keeps the player in while a component is mounted twice', () => {
    const { opened, connection } = lobby();
    const state = lobbyState(connection);
    state.subscribe().unsubscribe();
    const again = state.subscribe();
    opened[0]!.admit('return.1', 30_000);
    deepStrictEqual([opened.length, opened[0]!.closed, state.value.status.state], [1, undefined, 'live']);
    again.unsubscribe();
    strictEqual(state.value.status.state, 'live');
  });

  it('is closed if the player is out, and begins again only if it is asked to', () => {
    const { opened, connection } = lobby();
    const state = lobbyState(connection, { linger: 0 });
    state.subscribe();
    opened[0]!.open().end(4403, 'removed');
    deepStrictEqual([state.value.status.state, state.value.status.error?.reason], ['closed', 'removed']);
    state.subscribe();
    strictEqual(opened.length, 1);
    state.reload();
    deepStrictEqual([opened.length, state.value.status.state], [2, 'connecting']);
  });

  it('says what is wrong with its arguments', () => {
    throws(() => lobbyState({} as never), /connection must be an Observable/);
    throws(() => lobbyState(lobby().connection, { linger: -1 }), /linger must be a number of milliseconds/);
  });
});
