import { playsInAnyBrowser } from '../page/player-in-any-browser.js';
import { Firefox } from './firefox.js';

describe("a player's connection in Firefox", function () {
  this.timeout(90_000);

  playsInAnyBrowser(() => Firefox.start(), { keepsPages: false });
});
