import { renewsInAnyBrowser } from '../page/renews-in-any-browser.js';
import { Firefox } from './firefox.js';

describe('tabs that renew at once in Firefox', function () {
  this.timeout(90_000);

  renewsInAnyBrowser(() => Firefox.start());
});
