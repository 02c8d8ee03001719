import { renewsInAnyBrowser } from './renews-in-any-browser.js';
import { startChromium } from './stage.js';
import { Tab } from './tab.js';

describe('tabs that renew at once in Chromium', function () {
  this.timeout(90_000);

  renewsInAnyBrowser(async () => {
    const browser = await startChromium();
    const devTools = await browser.newBrowserCDPSession();
    return { openTab: url => Tab.open(devTools, url), close: () => browser.close() };
  });
});
