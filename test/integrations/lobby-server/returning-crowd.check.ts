import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { mergeMap, Subject, tap } from 'rxjs';
import type { PlayerSocket } from 'lobby-rx/lobby-server';
import { waitUntil } from '../../wait-until.js';
import { connectPlayer } from './connect-player.js';
import { eachFromElsewhere, openGate } from './gate.js';

const PLAYERS = 1_000;
const MOST_RETURNS = 5;
const AT_ONCE = 50;

describe(`A gate with ${PLAYERS} players whose connections drop`, () => {
  it('gives each their place back, frees each slot exactly once, and has none left after a drain in the midst', async () => {
    const drain$ = new Subject<void>();
    const freed: string[] = [];
    const gate = await openGate({
      token: 'message',
      grace: 30_000,
      drain$,
      maxPending: 2_500,
      addressOf: eachFromElsewhere(),
      freeSlot: player_token => {
        freed.push(player_token);
        return gate.client.matchmaker.players.disconnected({ player_token });
      },
    });
    let isComplete = false;
    gate.gate$.subscribe({
      complete: () => {
        isComplete = true;
      },
    });
    /** Presents a token or a ticket: who is in is called by their token. */
    const present = async (secret: string, name: string) => {
      const connected = await connectPlayer(`ws://127.0.0.1:${gate.port}/`).catch(() => undefined);
      if (!connected) return { isIn: false, reason: 'refused', ws: undefined, closed: undefined };
      const { ws, closed } = connected;
      ws.send(secret);
      const isIn = new Promise<string>(resolve =>
        ws.once('message', (data: Buffer) => resolve(data.toString() === name ? 'in' : 'another')),
      );
      const reason = await Promise.race([isIn, closed.then(end => end.reason)]);
      return { isIn: reason === 'in', reason, ws, closed };
    };
    const tickets: string[] = [];
    const welcome = (player: PlayerSocket) => {
      tickets.push(player.returnTicket);
      return player.status$.pipe(tap(status => status === 'open' && player.send(player.token)));
    };
    gate.gate$.pipe(mergeMap(welcome)).subscribe();

    const tokens = Array.from({ length: PLAYERS }, () => gate.reserveToken());
    let isDraining = false;
    const left = [...tokens];
    /**
     * Comes in, drops and returns up to five times, and stays: each time the lobby has to call the
     * player by their token.
     */
    const playAll = async () => {
      for (let token = left.pop(); token !== undefined && !isDraining; token = left.pop()) {
        const mine = token;
        let seat = await present(mine, mine);
        if (!seat.isIn) ok(isDraining, seat.reason);
        if (!seat.isIn) return;
        const { returnTicket } = gate.admitted.find(player => player.token === mine)!;
        const returns = Math.floor(Math.random() * (MOST_RETURNS + 1));
        for (let n = 0; n < returns; n++) {
          // Some come back while their old connection still seems to be there.
          if (Math.random() < 0.7) seat.ws!.terminate();
          if (Math.random() < 0.2) {
            const { reason } = await present(`${returnTicket.slice(0, -1)}~`, mine);
            ok(reason === 'expired' || isDraining, reason);
          }
          let back = await present(returnTicket, mine);
          // They have been back for less than a second.
          while (back.reason === 'busy') {
            gate.pass(25);
            back = await present(returnTicket, mine);
          }
          if (!back.isIn) ok(isDraining, back.reason);
          if (!back.isIn) return;
          await seat.closed;
          seat = back;
        }
        if (left.length === PLAYERS / 4) {
          isDraining = true;
          drain$.next();
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, playAll));
    await waitUntil(() => isComplete);

    const admitted = gate.admitted.map(({ token }) => token);
    strictEqual(new Set(admitted).size, admitted.length);
    ok(admitted.length >= PLAYERS / 2, String(admitted.length));
    // Those who were being confirmed when it was drained have had a slot, too.
    strictEqual(new Set(freed).size, freed.length);
    deepStrictEqual(
      admitted.filter(token => !freed.includes(token)),
      [],
    );
    strictEqual(tokens.filter(token => gate.emulator.playerState(token) === 'connected').length, 0);
    const log = JSON.stringify(gate.log);
    ok(![...tokens, ...tickets].some(secret => log.includes(secret)));
    console.log(
      `      ${admitted.length} players, ${gate.log.filter(({ kind }) => kind === 'returned').length} returns`,
    );
    await gate.close();
  });
});
