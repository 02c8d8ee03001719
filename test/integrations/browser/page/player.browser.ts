import { playsInAnyBrowser } from './player-in-any-browser.js';
import { startChromium } from './stage.js';
import { Tab } from './tab.js';

describe("a player's connection in Chromium", function () {
  this.timeout(90_000);

  const start = async () => {
    const browser = await startChromium();
    const devTools = await browser.newBrowserCDPSession();
    return {
      openTab: (url: string) => Tab.open(devTools, url),
      freeze: (tab: Tab) => tab.setLife('frozen'),
      thaw: (tab: Tab) => tab.setLife('active'),
      close: () => browser.close(),
    };
  };
  playsInAnyBrowser(start, { keepsPages: true });
});
