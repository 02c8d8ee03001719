import { deepStrictEqual, ok } from 'node:assert';
import { setTimeout as pause } from 'node:timers/promises';
import { waitUntil } from '../../../wait-until.js';
import { isIn, playsInAnyBrowser } from './player-in-any-browser.js';
import { startChromium } from './stage.js';
import { Tab } from './tab.js';

/** Long enough for a connection to be given up in a page that runs, in ms. */
const FROZEN_MS = 13_000;

describe("a player's connection in Chromium", function () {
  this.timeout(90_000);

  const { current, openTab } = playsInAnyBrowser(async () => {
    const browser = await startChromium();
    const devTools = await browser.newBrowserCDPSession();
    return { openTab: url => Tab.open(devTools, url), close: () => browser.close() };
  });

  it('is not ended by a freeze of the page', async () => {
    const lobby = current();
    const tab = await openTab(lobby.reserve());
    await isIn(tab);
    await tab.setLife('frozen');
    await pause(FROZEN_MS);
    await tab.setLife('active');
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
    await tab.setLife('frozen');
    lobby.freeze();
    await pause(FROZEN_MS);
    await tab.setLife('active');
    await isIn(tab, 'retrying');
    await isIn(tab);
    deepStrictEqual(lobby.freed, []);
  });
});
