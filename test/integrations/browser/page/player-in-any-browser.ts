import { deepStrictEqual, ok } from 'node:assert';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from 'lobby-rx';
import { listen } from 'lobby-rx/emulator';
import { lobbyGate, type GateLogEntry, type PlayerSocket } from 'lobby-rx/lobby-server';
import { waitUntil } from '../../../wait-until.js';
import type { SiteTab } from './site-in-tabs.js';
import { createSite } from './site.js';

/** A tab whose page can be left. */
interface PlayerTab extends SiteTab {
  navigate(url: string): Promise<unknown>;
  back(): Promise<unknown>;
}

/** A browser that a test has started. */
interface StartedBrowser<T> {
  openTab(url: string): Promise<T>;
  /** No timer runs in the tab any more, as while a laptop sleeps. */
  freeze(tab: T): unknown;
  thaw(tab: T): unknown;
  close(): Promise<unknown>;
}

/** How long a player may be away, in ms. */
const GRACE_MS = 8_000;

/** Long enough for a connection to be given up in a page that runs, in ms. */
const FROZEN_MS = 13_000;

/** A lobby, and the way to it, which can be cut. */
async function createLobby() {
  const site = await createSite('player-page.ts');
  const { lobby_id, token } = site.emulator.addLobby();
  const service = await listen(site.emulator);
  const client = createClient({ url: service.url, token });
  const server = createHttpServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const admitted: PlayerSocket[] = [];
  const log: GateLogEntry[] = [];
  const freed: string[] = [];
  const gate = lobbyGate({
    server,
    client,
    grace: GRACE_MS,
    freeSlot: player_token => void freed.push(player_token),
    log: entry => void log.push(entry),
  }).subscribe(player => admitted.push(player));
  const way = await openWay((server.address() as AddressInfo).port);
  return {
    ...site,
    ...way,
    admitted,
    log,
    freed,
    reserve: () => site.emulator.reservePlayer(lobby_id),
    pageOf: (player_token: string) => {
      const page = new URL(site.pageUrl('alone'));
      page.searchParams.set('lobby', `ws://127.0.0.1:${way.port}/`);
      page.searchParams.set('token', player_token);
      return page.href;
    },
    close: async () => {
      gate.unsubscribe();
      for (const player of admitted) player.terminate();
      way.cut();
      server.close();
      await service.close();
      await site.close();
    },
  };
}

/** Passes connections on to a port. */
async function openWay(target: number) {
  const lines = new Set<Socket>();
  let isUp = true;
  const server = createServer(near => {
    if (!isUp) return near.destroy();
    const far = connect(target, '127.0.0.1');
    for (const socket of [near, far]) {
      lines.add(socket.on('error', () => undefined));
      socket.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    restore: () => {
      isUp = true;
    },
    cut: () => {
      isUp = false;
      for (const socket of lines) socket.destroy();
      lines.clear();
    },
    /** Nothing is passed on any more, although the connections stay open. */
    freeze: () => {
      for (const socket of lines) socket.unpipe().pause();
    },
  };
}

/** Starts a browser for the tests of a suite, and a lobby for each of them. */
function lobbyInTabs<T extends PlayerTab>(start: () => Promise<StartedBrowser<T>>) {
  let browser: StartedBrowser<T>;
  let lobby: Awaited<ReturnType<typeof createLobby>>;
  const tabs: T[] = [];
  before(async () => {
    browser = await start();
  });
  after(() => browser.close());
  beforeEach(async () => {
    lobby = await createLobby();
  });
  afterEach(async () => {
    for (const tab of tabs.splice(0)) await tab.close().catch(() => undefined);
    await lobby.close();
  });
  return {
    current: () => lobby,
    openTab: async (token: string) => {
      const tab = await browser.openTab(lobby.pageOf(token));
      tabs.push(tab);
      return tab;
    },
    whileFrozen: async (tab: T, work: () => Promise<unknown>) => {
      await browser.freeze(tab);
      try {
        await work();
      } finally {
        await browser.thaw(tab);
      }
    },
  };
}

/** Waits until the player of a tab is in, or has another status. */
function isIn(tab: SiteTab, state = 'live'): Promise<void> {
  return waitUntil(async () => (await tab.followed())?.states.at(-1) === state);
}

/**
 * The tests that a player's connection passes in any browser. `keepsPages` is whether the browser
 * shows the same page again when the user goes back, although its connection was open.
 */
export function playsInAnyBrowser<T extends PlayerTab>(
  start: () => Promise<StartedBrowser<T>>,
  { keepsPages }: { readonly keepsPages: boolean },
): void {
  const lobbies = lobbyInTabs(start);
  outlivesFaults(lobbies);
  outlivesFreezes(lobbies);
  if (keepsPages) comesBackWithItsPage(lobbies);
  else isOutWithoutItsPage(lobbies);
}

type Lobbies<T extends PlayerTab> = ReturnType<typeof lobbyInTabs<T>>;

function outlivesFaults<T extends PlayerTab>({ current, openTab }: Lobbies<T>): void {
  it('comes back if the way to the gate is away, and is out after the grace', async () => {
    const lobby = current();
    const tab = await openTab(lobby.reserve());
    await isIn(tab);
    lobby.cut();
    await waitUntil(() => lobby.log.at(-1)?.kind === 'away');
    await isIn(tab, 'offline');
    lobby.restore();
    await waitUntil(() => lobby.log.at(-1)?.kind === 'returned');
    await isIn(tab);
    lobby.admitted[0]!.send('welcome back');
    await waitUntil(async () => (await tab.followed())?.events.length === 1);
    lobby.cut();
    await waitUntil(async () => (await tab.followed())?.gaps.length === 1);
    deepStrictEqual((await tab.followed())?.gaps, ['expired']);
    await waitUntil(() => lobby.freed.length === 1);
    lobby.restore();
    deepStrictEqual(lobby.admitted.length, 1);
  });

  it('notices a connection on which nothing comes any more', async () => {
    const lobby = current();
    const tab = await openTab(lobby.reserve());
    await isIn(tab);
    lobby.freeze();
    await isIn(tab, 'retrying');
    await isIn(tab);
    deepStrictEqual(lobby.freed, []);
  });

  it('gets in once the service answers again', async () => {
    const lobby = current();
    lobby.emulator.fault({ kind: 'html', status: 502 }, { times: 5 });
    const tab = await openTab(lobby.reserve());
    await isIn(tab);
    deepStrictEqual([lobby.admitted.length, lobby.freed], [1, []]);
  });

  it('is out in a second tab with the same token, and says why', async () => {
    const lobby = current();
    const token = lobby.reserve();
    const first = await openTab(token);
    await isIn(first);
    const second = await openTab(token);
    await isIn(second, 'closed');
    deepStrictEqual((await second.followed())?.gaps, ['already_connected']);
    await isIn(first);
  });

  it('keeps the slot of a page that is closed for the grace', async () => {
    const lobby = current();
    const token = lobby.reserve();
    const tab = await openTab(token);
    await isIn(tab);
    await tab.close();
    await waitUntil(() => lobby.freed.length === 1);
    deepStrictEqual(lobby.freed, [token]);
  });
}

function outlivesFreezes<T extends PlayerTab>({ current, openTab, whileFrozen }: Lobbies<T>): void {
  it('is not ended by a freeze of the page', async () => {
    const lobby = current();
    const tab = await openTab(lobby.reserve());
    await isIn(tab);
    await whileFrozen(tab, () => pause(FROZEN_MS));
    await pause(FROZEN_MS);
    lobby.admitted[0]!.send('hello');
    await waitUntil(async () => (await tab.followed())?.events.length === 1);
    // Chromium itself may have ended it with 1001, and the player is back.
    const codes = lobby.log.flatMap(entry => (entry.kind === 'away' ? [entry.code] : []));
    ok(codes.every(code => code === 1001));
    deepStrictEqual([(await tab.followed())?.gaps, lobby.freed], [[], []]);
  });

  it('comes back if the connection has died while the page was frozen', async () => {
    const lobby = current();
    const tab = await openTab(lobby.reserve());
    await isIn(tab);
    await whileFrozen(tab, async () => {
      lobby.freeze();
      await pause(FROZEN_MS);
      ok(!lobby.log.some(({ kind }) => kind === 'returned'));
    });
    await isIn(tab, 'retrying');
    await isIn(tab);
    deepStrictEqual(lobby.freed, []);
  });

  it('comes back if the connection was cut while the page was frozen, and is out after the grace', async () => {
    const lobby = current();
    const tab = await openTab(lobby.reserve());
    await isIn(tab);
    const sleep = (time: number) =>
      whileFrozen(tab, async () => {
        lobby.cut();
        await pause(time);
        lobby.restore();
      });
    await sleep(GRACE_MS / 4);
    await waitUntil(() => lobby.log.at(-1)?.kind === 'returned');
    await isIn(tab);
    deepStrictEqual(lobby.freed, []);
    await sleep(GRACE_MS + 2_000);
    await isIn(tab, 'closed');
    deepStrictEqual([(await tab.followed())?.gaps, lobby.freed.length], [['expired'], 1]);
  });
}

function comesBackWithItsPage<T extends PlayerTab>({ current, openTab }: Lobbies<T>): void {
  it('comes back with a page that was left', async () => {
    const lobby = current();
    const tab = await openTab(lobby.reserve());
    await isIn(tab);
    await tab.navigate('about:blank');
    await tab.back();
    await waitUntil(() => lobby.log.at(-1)?.kind === 'returned');
    await isIn(tab);
    deepStrictEqual([(await tab.followed())?.gaps, lobby.freed], [[], []]);
  });
}

function isOutWithoutItsPage<T extends PlayerTab>({ current, openTab }: Lobbies<T>): void {
  it('is out in a page that was left, since it is loaded again without its ticket', async () => {
    const lobby = current();
    const tab = await openTab(lobby.reserve());
    await isIn(tab);
    await tab.navigate('about:blank');
    await waitUntil(() => lobby.log.at(-1)?.kind === 'away');
    await tab.back();
    await isIn(tab, 'closed');
    deepStrictEqual((await tab.followed())?.gaps, ['already_connected']);
  });
}
