import { playsInAnyBrowser } from '../page/player-in-any-browser.js';
import { WebKit } from './webkit.js';

describe("a player's connection in WebKit", function () {
  this.timeout(90_000);

  playsInAnyBrowser(() => WebKit.start(), { keepsPages: true });
});
