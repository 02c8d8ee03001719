import { playsInAnyBrowser } from './player-in-any-browser.js';
import { startChromium } from './stage.js';
import { Tab } from './tab.js';

describe("a player's connection in Chromium", function () {
  this.timeout(90_000);

  playsInAnyBrowser(async () => {
    const browser = await startChromium();
    const devTools = await browser.newBrowserCDPSession();
    return { openTab: url => Tab.open(devTools, url), close: () => browser.close() };
  });
});
