import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { map, of } from 'rxjs';
import type { Transport, TransportResponse } from 'lobby-rx';
import { createEmulator } from 'lobby-rx/emulator';
import { virtualTime } from '../../../virtual-time.js';
import { connectPlayer, tryConnect } from '../connect-player.js';
import { openGate, type OpenGate } from '../gate.js';

describe('lobbyGate, before it knows its service', () => {
  let gate: OpenGate;
  afterEach(() => gate.close());

  const time = virtualTime();
  const emulator = createEmulator({ scheduler: time.scheduler });
  const lobby = emulator.addLobby({ maxPlayers: 1_000 });
  let hasRoute = true;
  let asked: string[] = [];

  /** What Caddy answers if it has no route, behind a proxy that quotes too much. */
  const noRoute: TransportResponse = {
    status: 200,
    headers: new Headers({ server: 'Caddy', via: `1.1 ${lobby.token}` }),
    text: '',
  };
  const withoutRayId = ({ status, text, headers }: TransportResponse): TransportResponse => ({
    status,
    text,
    headers: { get: name => (name === 'rvt-ray-id' ? null : headers.get(name)) },
  });

  /** A gate in front of which is a proxy, which may have no route. */
  const open = async (hasRayIds: boolean) => {
    asked = [];
    const transport: Transport = request => {
      asked.push((JSON.parse(request.body!) as { player_token: string }).player_token);
      const answer$ = hasRoute ? emulator.transport(request) : of(noRoute);
      return answer$.pipe(map(answer => (hasRayIds ? answer : withoutRayId(answer))));
    };
    const clientConfig = { ...emulator.urls, token: lobby.token, transport, isFromService: undefined };
    gate = await openGate({ time, clientConfig: clientConfig as object });
  };
  const enter = (token: string) => tryConnect(`ws://127.0.0.1:${gate.port}/?token=${token}`);
  const junkThatIsIn = async () => {
    const results = await Promise.all(Array.from({ length: 20 }, (_, i) => enter(`junk-${i}`)));
    return results.filter(({ kind }) => kind === 'open').length;
  };
  const reserve = () => emulator.reservePlayer(lobby.lobby_id);
  const come = async (token: string) => {
    await connectPlayer(`ws://127.0.0.1:${gate.port}/?token=${token}`);
  };
  const probes = () => asked.filter(token => token.startsWith('nobody-issued-')).length;

  for (const hasRayIds of [true, false]) {
    const kind = hasRayIds ? 'with ray ids' : 'without ray ids';

    it(`admits nobody before a proxy without a route, and asks again with a backoff: ${kind}`, async () => {
      hasRoute = false;
      await open(hasRayIds);
      strictEqual(await junkThatIsIn(), 0);
      const token = reserve();
      const result = await enter(token);
      ok(result.kind === 'refused' && result.body === 'outcome_unknown');
      deepStrictEqual([asked.length, probes()], [1, 1]);
      const told = gate.log.filter(entry => entry.kind === 'not_the_service');
      deepStrictEqual(
        told.map(({ error }) => error),
        [
          `${emulator.urls.matchmakerUrl}/v1/players/connected Caddy 1.1 [secret] confirms a token that nobody has issued`,
        ],
      );
      hasRoute = true;
      gate.pass(1_000);
      await come(token);
      deepStrictEqual([asked.length, probes()], [3, 2]);
    });
  }

  it('asks a service with ray ids once, and admits nobody when the route goes', async () => {
    hasRoute = true;
    await open(true);
    await come(reserve());
    gate.pass(600_000);
    await come(reserve());
    strictEqual(probes(), 1);
    hasRoute = false;
    strictEqual(await junkThatIsIn(), 0);
  });

  it('believes a service without ray ids for a minute', async () => {
    hasRoute = true;
    await open(false);
    await come(reserve());
    gate.pass(59_999);
    await come(reserve());
    strictEqual(probes(), 1);
    gate.pass(1);
    hasRoute = false;
    strictEqual(await junkThatIsIn(), 0);
    strictEqual(probes(), 2);
  });

  it('asks once for all players who come at the same time', async () => {
    hasRoute = true;
    await open(false);
    await Promise.all([come(reserve()), come(reserve()), come(reserve())]);
    strictEqual(probes(), 1);
  });
});
