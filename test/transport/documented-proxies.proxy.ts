import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { firstValueFrom, Subject, takeUntil } from 'rxjs';
import { createClient, isStatusError, whyNotConnected, type LogEntry } from 'lobby-rx';
import { createEmulator, listen, type EmulatorServer } from 'lobby-rx/emulator';
import { documentedCut, DOCUMENTED_PROXIES, openDocumentedProxy } from '../documented-proxies.js';
import { lobbyJoin } from '../payload.js';
import type { RealProxy } from '../real-proxy.js';
import { waitUntil } from '../wait-until.js';

/** A poll that is cut off after 5 s or more has not failed. */
const CUT_S = 6;
/** Traffic Server sends a poll four times before it gives up. */
const TRAFFIC_SERVER_S = 2;
/** Longer than all cuts: Traffic Server's comes after 11 s. */
const BLOCK_MS = 15_000;
const NO_GATE = 9;

/** A feed behind a proxy, and what became of it. */
interface WatchedFeed {
  readonly proxy: RealProxy;
  readonly identity_id: string;
  readonly token: string;
  readonly log: LogEntry[];
  readonly states: string[];
  readonly gaps: string[];
  readonly lobbies: string[];
}

describe('A feed behind each proxy that is set up as the page says, but for shorter times', () => {
  const emulator = createEmulator({ blockTime: BLOCK_MS });
  const feeds = new Map<string, WatchedFeed>();
  const end$ = new Subject<void>();
  let service: EmulatorServer;

  const watchBehind = async (name: string): Promise<WatchedFeed> => {
    const seconds = name === 'Traffic Server' ? TRAFFIC_SERVER_S : CUT_S;
    const { port } = new URL(service.url);
    const proxy = await openDocumentedProxy(name, { service: Number(port), gate: NO_GATE, seconds });
    const { identity_id, token } = emulator.addIdentity();
    const watched: WatchedFeed = { proxy, identity_id, token, log: [], states: [], gaps: [], lobbies: [] };
    const url = `http://127.0.0.1:${proxy.port}`;
    const client = createClient({ url, token, log: entry => watched.log.push(entry) });
    const { feed } = client.events;
    feed.status$.pipe(takeUntil(end$)).subscribe(({ state }) => watched.states.push(state));
    feed.gap$.pipe(takeUntil(end$)).subscribe(({ reason }) => watched.gaps.push(reason));
    feed.lobbyJoin$.pipe(takeUntil(end$)).subscribe(({ lobby }) => watched.lobbies.push(lobby.lobby_id));
    return watched;
  };
  before(async () => {
    service = await listen(emulator);
    const opened = DOCUMENTED_PROXIES.map(async name => feeds.set(name, await watchBehind(name)));
    await Promise.all(opened);
  });
  after(async () => {
    end$.next();
    await service.close();
    await Promise.all([...feeds.values()].map(({ proxy }) => proxy.close()));
  });

  const publish = async ({ identity_id, lobbies }: WatchedFeed, lobby_id: string) => {
    const payload = { ...lobbyJoin, lobby: { ...lobbyJoin.lobby, lobby_id } };
    emulator.publish(identity_id, { matchmaker_lobby_join: payload });
    await waitUntil(() => lobbies.includes(lobby_id));
  };

  for (const name of DOCUMENTED_PROXIES) {
    const status = documentedCut(name);
    const expected = status === undefined ? 'answered by the service' : `cut with ${status}`;
    it(`is live behind ${name}, with each event once: a poll is ${expected}`, async () => {
      const watched = feeds.get(name)!;
      const { log, states, gaps, lobbies } = watched;
      const ends = () => log.flatMap(entry => (entry.kind === 'poll_end' ? [entry.why] : []));
      // The first poll has no index, and is not held.
      await waitUntil(() => ends().length >= 2);
      await publish(watched, 'first');
      await publish(watched, 'second');
      deepStrictEqual(ends().slice(0, 2), ['no_news', status === undefined ? 'no_news' : 'cut']);
      deepStrictEqual(lobbies, ['first', 'second']);
      deepStrictEqual(gaps, []);
      deepStrictEqual(states, ['idle', 'connecting', 'live']);
      const answers = log.flatMap(entry => (entry.kind === 'answer' ? [entry.status] : []));
      strictEqual(answers[1], status ?? 200);
    });
  }

  it('comes to the service four times behind Traffic Server, which was not told to wait', () => {
    const { log, token } = feeds.get('Traffic Server')!;
    const cut = log.find(entry => entry.kind === 'answer' && entry.status === 504);
    const sent = emulator.requests.filter(
      request => request.token === token && request.url.includes('watch_index') && request.at < cut!.at,
    );
    deepStrictEqual([sent.length, new Set(sent.map(({ url }) => url)).size], [4, 1]);
  });
});

describe('players.connected behind each proxy that is set up as the page says', () => {
  let dying: Server;
  let received: string[];
  let proxy: RealProxy;
  beforeEach(async () => {
    received = [];
    dying = createServer((request, response) => {
      request.resume().on('end', () => {
        received.push(`${request.method} ${request.url}`);
        response.destroy();
      });
    });
    await once(dying.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    await proxy.close();
    dying.close();
  });

  for (const name of DOCUMENTED_PROXIES) {
    it(`is sent once, and unknown, if the service dies behind ${name}`, async () => {
      const { port } = dying.address() as AddressInfo;
      proxy = await openDocumentedProxy(name, { service: port, gate: NO_GATE });
      const client = createClient({ url: `http://127.0.0.1:${proxy.port}`, token: 'the-token' });
      const { players } = client.matchmaker;
      const error = await firstValueFrom(players.connected({ player_token: 'p' })).catch((e: unknown) => e);
      ok(isStatusError(error) && error.status >= 500, String(error));
      deepStrictEqual(whyNotConnected(error), { outcome: 'unknown' });
      deepStrictEqual(received, ['POST /v1/players/connected']);
    });
  }
});
