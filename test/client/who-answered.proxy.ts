import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { join } from 'node:path';
import { firstValueFrom, map, Subject, takeUntil, type Observable } from 'rxjs';
import { createClient, fromFetch, whyNotConnected, type Transport, type WatchStatus } from 'lobby-rx';
import { createEmulator, listen, type Emulator, type EmulatorServer } from 'lobby-rx/emulator';
import { slotOutcome } from '../../src/integrations/lobby-server/slots/slot-outcome.js';
import { freePort } from '../free-port.js';
import { open, openCaddy, openNginx, openVarnish, type RealProxy } from '../real-proxy.js';
import { waitUntil } from '../wait-until.js';

/** A real proxy that answers by itself, in the place of the service. */
interface Impostor {
  readonly open: (dead: string) => Promise<RealProxy>;
  /** A part of what a reader is told. */
  readonly reason: RegExp;
  /**
   * Its OK is that of a service without ray ids, byte for byte: nothing can tell them apart, and a
   * player is confirmed. A gate asks first about a token that nobody has issued.
   */
  readonly isLikeService?: true;
}

const FASTIFY_PROXY = join(import.meta.dirname, '../services/npm/fastify-proxy.js');

/** `dead` is a host and port where nothing listens. */
const IMPOSTORS: Readonly<Record<string, Impostor>> = {
  'Caddy without a route': {
    open: () => openCaddy('example.com {\n  handle /elsewhere {\n    respond 404\n  }\n}\n'),
    reason: /Caddy/,
    isLikeService: true,
  },
  'nginx that returns 204': {
    open: dead => openNginx(dead, 'location / { return 204; }'),
    reason: /nginx/,
    isLikeService: true,
  },
  'nginx with a page of maintenance': {
    open: dead =>
      openNginx(
        dead,
        `location / { proxy_pass http://lobby; error_page 502 503 504 =200 @maintenance; }
        location @maintenance { default_type text/html; return 200 "<title>Back at noon</title>"; }`,
      ),
    reason: /Back at noon/,
  },
  '@fastify/http-proxy before a dead service': {
    open: dead => open('node', [FASTIFY_PROXY, 'PORT', `http://${dead}`], () => ''),
    reason: /ECONNREFUSED/,
  },
  'Varnish that caches its own page': {
    open: dead => {
      const [host, port] = dead.split(':');
      return openVarnish(`vcl 4.1;
backend dead { .host = "${host}"; .port = "${port}"; }
sub vcl_recv { return (hash); }
sub vcl_backend_error { set beresp.ttl = 1h; }
`);
    },
    reason: /503 Backend fetch failed/,
  },
};

/** Hides the ray ids of a service. */
function withoutRayIds(transport: Transport): Transport {
  const get = (headers: { get(name: string): string | null }) => (name: string) =>
    name === 'rvt-ray-id' ? null : headers.get(name);
  return request =>
    transport(request).pipe(
      map(({ status, headers, text }) => ({ status, headers: { get: get(headers) }, text })),
    );
}

/** What a game is played in. */
interface Setting {
  readonly emulator: Emulator;
  readonly service: EmulatorServer;
  /** Ends all subscriptions. */
  readonly end$: Observable<void>;
  readonly hasRayIds: boolean;
}

/**
 * A player with a feed, and a lobby. `place` is the proxy that answers in the place of the service.
 */
function game({ emulator, service, end$, hasRayIds }: Setting) {
  const identity = emulator.addIdentity();
  const lobby = emulator.addLobby({ maxPlayers: 4 });
  const state: { place: RealProxy | undefined } = { place: undefined };
  const seen = { joins: 0, ended: 0, signedOut: 0, foreign: 0 };
  const send = fromFetch();
  const switched: Transport = request => {
    const { place } = state;
    if (!place) return send(request);
    return send({ ...request, url: request.url.replace(service.url, `http://127.0.0.1:${place.port}`) });
  };
  const clientOf = (token: string) => {
    const client = createClient({
      url: service.url,
      transport: hasRayIds ? switched : withoutRayIds(switched),
      token: { get: () => token, renew: () => token },
      log: ({ kind }) => {
        if (kind === 'foreign') seen.foreign++;
      },
      watch: { backoff: { initial: 20, max: 200 } },
    });
    client.unauthorized$.pipe(takeUntil(end$)).subscribe(() => seen.signedOut++);
    return client;
  };
  const { feed } = clientOf(identity.token).events;
  const statuses: WatchStatus[] = [];
  feed.status$.pipe(takeUntil(end$)).subscribe(status => statuses.push(status));
  feed.lobbyJoin$.pipe(takeUntil(end$)).subscribe({ next: () => seen.joins++, error: () => seen.ended++ });
  const { players } = clientOf(lobby.token).matchmaker;
  return { identity, lobby, state, seen, statuses, players };
}

/** `OK`, or the error. */
function outcome(sent$: Observable<void>): Promise<unknown> {
  return firstValueFrom(sent$).then(
    () => 'OK',
    (error: unknown) => error,
  );
}

describe('real proxies in the place of the service', () => {
  const emulator = createEmulator({ blockTime: 500 });
  const proxies = new Map<string, RealProxy>();
  const end$ = new Subject<void>();
  let service: EmulatorServer;
  before(async () => {
    service = await listen(emulator);
    const dead = `127.0.0.1:${await freePort()}`;
    const opened = Object.entries(IMPOSTORS).map(async ([name, impostor]) =>
      proxies.set(name, await impostor.open(dead)),
    );
    await Promise.all(opened);
  });
  afterEach(() => end$.next());
  after(async () => {
    await Promise.all([...proxies.values()].map(proxy => proxy.close()));
    await service.close();
  });

  for (const hasRayIds of [true, false]) {
    for (const [name, { reason, isLikeService }] of Object.entries(IMPOSTORS)) {
      const when = hasRayIds ? 'once a ray id has come' : 'before a service without ray ids';
      it(`are not the service, ${when}: ${name}`, async () => {
        const { identity, lobby, state, seen, statuses, players } = game({
          emulator,
          service,
          end$,
          hasRayIds,
        });
        const player_token = emulator.reservePlayer(lobby.lobby_id);
        strictEqual(await outcome(players.connected({ player_token })), 'OK');
        strictEqual(players.isServiceKnown, hasRayIds);
        await waitUntil(() => statuses.at(-1)?.state === 'live');

        state.place = proxies.get(name);
        await waitUntil(() => statuses.at(-1)?.state === 'retrying');
        if (hasRayIds || !isLikeService) {
          const refused = await outcome(players.connected({ player_token: 'nobody has issued this' }));
          const kept = await outcome(players.disconnected({ player_token }));
          deepStrictEqual([whyNotConnected(refused).outcome, slotOutcome(kept)], ['unknown', 'retry']);
          for (const error of [refused, kept]) match(String(error), reason);
        }
        ok(!hasRayIds || seen.foreign > 0);

        state.place = undefined;
        emulator.sendLobbyJoin(identity.identity_id, lobby.lobby_id);
        await waitUntil(() => seen.joins === 1);
        deepStrictEqual([seen.ended, seen.signedOut], [0, 0]);
        strictEqual(emulator.playersIn(lobby.lobby_id).connected, 1);
        strictEqual(await outcome(players.disconnected({ player_token })), 'OK');
        strictEqual(emulator.playersIn(lobby.lobby_id).connected, 0);
      }).timeout(30_000);
    }
  }
});
