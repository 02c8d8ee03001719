import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { NEVER, Subject, throwError, type Observable } from 'rxjs';
import { InputError, StatusError } from 'lobby-rx';
import { virtualTime } from '../../../virtual-time.js';
import { waitUntil } from '../../../wait-until.js';
import { confirmations, eachFromElsewhere, openGate, type OpenGate } from '../gate.js';
import { connectPlayer, tryConnect } from '../connect-player.js';

/** The page of a proxy that has not passed the request on. */
const PROXY = { kind: 'html', status: 503 } as const;

describe("lobbyGate, when the service's answer was lost", () => {
  let gate: OpenGate;
  const at = (query = '') => `ws://127.0.0.1:${gate.port}/${query}`;
  afterEach(() => gate.close());

  const refused = async (token: string) => {
    const result = await tryConnect(at(`?token=${token}`));
    ok(result.kind === 'refused');
    return [result.status, result.body, result.headers['retry-after']];
  };

  it('tells the player when to come again, and admits them if the service then says OK', async () => {
    gate = await openGate();
    const token = gate.reserveToken();
    for (let lost = 0; lost < 3; lost++) {
      gate.emulator.fault(PROXY);
      deepStrictEqual(await refused(token), [503, 'outcome_unknown', '1']);
      // Each time they come, the grace begins anew.
      gate.pass(9_999);
    }
    await connectPlayer(at(`?token=${token}`));
    gate.pass(100_000);
    deepStrictEqual(
      [gate.unresolved, gate.admitted.length, gate.emulator.playerState(token)],
      [[], 1, 'connected'],
    );
  });

  it('frees the slot at once if the gate was closed meanwhile: nobody can come again', async () => {
    gate = await openGate({ holdRequests: true });
    gate.emulator.fault(PROXY);
    const token = gate.reserveToken();
    const connecting = tryConnect(at(`?token=${token}`));
    await waitUntil(() => gate.heldRequests() === 1);
    gate.unsubscribe();
    gate.sendHeldRequests();
    await connecting;
    await waitUntil(() => gate.unresolved.length === 1);
    deepStrictEqual(gate.unresolved, [token]);
  });

  it('frees the slot once if nobody comes within the grace', async () => {
    gate = await openGate();
    const token = gate.reserveToken();
    gate.emulator.fault({ kind: 'reset_in_body' });
    await refused(token);
    gate.pass(9_999);
    deepStrictEqual(gate.unresolved, []);
    gate.pass(1);
    deepStrictEqual(gate.unresolved, [token]);
    gate.pass(100_000);
    deepStrictEqual(gate.unresolved, [token]);
  });

  it('frees the slot once if the player comes, and the service says no', async () => {
    gate = await openGate();
    const token = gate.reserveToken();
    gate.emulator.fault({ kind: 'reset_in_body' });
    deepStrictEqual(await refused(token), [503, 'outcome_unknown', '1']);
    strictEqual(gate.emulator.playerState(token), 'connected');
    deepStrictEqual(
      [await refused(token), gate.unresolved],
      [[403, 'already_connected', undefined], [token]],
    );
    deepStrictEqual(await refused(token), [403, 'already_connected', undefined]);
    gate.pass(100_000);
    deepStrictEqual([gate.unresolved, confirmations(gate)], [[token], 3]);
  });

  it('admits no one until the slot has been freed, and then asks again', async () => {
    const freed$ = new Subject<void>();
    gate = await openGate({ freeSlot: () => freed$ });
    const token = gate.reserveToken();
    gate.emulator.fault(PROXY);
    await refused(token);
    gate.pass(10_000);
    deepStrictEqual(await refused(token), [503, 'outcome_unknown', '1']);
    gate.pass(60_000);
    deepStrictEqual(await refused(token), [503, 'outcome_unknown', '1']);
    strictEqual(confirmations(gate), 1);
    freed$.error(new InputError('a', 'freed', 'not'));
    await connectPlayer(at(`?token=${token}`));
  });

  it('tells them not to wait if the service has said no, although the slot is still being freed', async () => {
    gate = await openGate({ freeSlot: () => NEVER });
    const token = gate.reserveToken();
    gate.emulator.fault({ kind: 'reset_in_body' });
    await refused(token);
    for (let i = 0; i < 3; i++) {
      deepStrictEqual(await refused(token), [403, 'already_connected', undefined]);
      gate.pass(20_000);
    }
  });

  it('keeps the token for as long as the player was told to wait, and for the grace after that', async () => {
    gate = await openGate();
    const token = gate.reserveToken();
    gate.emulator.fault(PROXY);
    await refused(token);
    gate.emulator.fault({ kind: 'rate_limited', wait: 90_000 });
    deepStrictEqual(await refused(token), [503, 'rate_limited', '90']);
    gate.pass(89_999);
    // Not asked, since the service has asked not to be: the player is told to wait once more.
    deepStrictEqual(await refused(token), [503, 'rate_limited', '1']);
    gate.pass(9_999);
    deepStrictEqual([gate.unresolved, confirmations(gate)], [[], 2]);
    await connectPlayer(at(`?token=${token}`));
  });

  it("takes no proxy's refusal for the service's", async () => {
    for (const status of [400, 401, 403, 404, 429]) {
      gate = await openGate();
      const token = gate.reserveToken();
      gate.emulator.fault({ kind: 'html', status });
      deepStrictEqual(await refused(token), [503, 'outcome_unknown', '1']);
      gate.pass(1_000);
      await connectPlayer(at(`?token=${token}`));
      strictEqual(gate.unresolved.length, 0);
      await gate.close();
    }
    gate = await openGate();
  });

  it('knows a refusal of the service by its code or its ray id', async () => {
    const answers = [{}, { code: 'TOKEN_ERROR' }, { rayId: 'ray' }].map(
      details => new StatusError(400, { method: 'POST', url: '/' }, details),
    );
    const connected = (): Observable<void> => throwError(() => answers.shift());
    gate = await openGate({ client: { matchmaker: { players: { connected } } } });
    deepStrictEqual(await refused('a-token'), [503, 'outcome_unknown', '1']);
    deepStrictEqual(await refused('b-token'), [401, 'invalid_token', undefined]);
    deepStrictEqual((await refused('c-token'))[1], '400');
  });

  it('stops a hook that takes too long, says so, and does not keep the token', async () => {
    const endless$ = new Subject<void>();
    gate = await openGate({ emulatorConfig: { reservation: 1_000_000 }, freeSlot: () => endless$ });
    const token = gate.reserveToken();
    gate.emulator.fault(PROXY);
    await refused(token);
    gate.pass(10_000);
    gate.pass(299_999);
    ok(endless$.observed);
    gate.pass(1);
    ok(!endless$.observed);
    deepStrictEqual(
      gate.log.flatMap(entry => (entry.kind === 'hook_failed' ? [[entry.hook, entry.error]] : [])),
      [['freeSlot', 'FreeSlotTimeoutError']],
    );
    await connectPlayer(at(`?token=${token}`));
  });

  it('frees unresolved slots at once if the gate is unsubscribed from, and leaves no timers', async () => {
    const time = virtualTime();
    gate = await openGate({ time });
    const token = gate.reserveToken();
    gate.emulator.fault(PROXY);
    await refused(token);
    gate.unsubscribe();
    deepStrictEqual(gate.unresolved, [token]);
    await waitUntil(() => time.scheduler.actions.length === 0);
  });

  it('believes that the service does not count a player only once it cannot count them later', async () => {
    const notCounted = new StatusError(
      400,
      { method: 'POST', url: '/' },
      { code: 'MATCHMAKER_PLAYER_NOT_CONNECTED' },
    );
    const calls: string[] = [];
    gate = await openGate({
      freeSlot: token => {
        calls.push(token);
        return throwError(() => notCounted);
      },
    });
    gate.emulator.fault(PROXY);
    await refused(gate.reserveToken());
    gate.pass(10_000);
    const kinds = () => gate.log.map(({ kind }) => kind);
    deepStrictEqual([calls.length, kinds()], [1, ['refused', 'retrying']]);
    gate.pass(110_000);
    deepStrictEqual(kinds(), ['refused', 'retrying']);
    gate.pass(70_000);
    deepStrictEqual(kinds(), ['refused', 'retrying', 'freed']);
  });

  it('has at most four times maxPending unresolved tokens, and asks about no others until then', async () => {
    gate = await openGate({ maxPending: 1, addressOf: eachFromElsewhere() });
    gate.emulator.fault(PROXY, { times: 4 });
    const tokens = Array.from({ length: 4 }, () => gate.reserveToken());
    for (const token of tokens) await refused(token);
    deepStrictEqual(await refused(gate.reserveToken()), [503, 'busy', '1']);
    await connectPlayer(at(`?token=${tokens[1]}`));
    await connectPlayer(at(`?token=${gate.reserveToken()}`));
    strictEqual(confirmations(gate), 6);
  });

  it('tells a player who sent the token as their first message, too', async () => {
    gate = await openGate({ token: 'message' });
    const token = gate.reserveToken();
    const send = async () => {
      const { ws, closed } = await connectPlayer(at());
      ws.send(token);
      return closed;
    };
    gate.emulator.fault({ kind: 'rate_limited', wait: 40_000 });
    deepStrictEqual(await send(), { code: 4424, reason: 'rate_limited; retry-after=40' });
    gate.pass(40_000);
    gate.emulator.fault(PROXY);
    deepStrictEqual(await send(), { code: 4424, reason: 'outcome_unknown' });
    void send();
    await waitUntil(() => gate.admitted.length === 1);
  });
});
