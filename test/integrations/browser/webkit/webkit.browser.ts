import { ok, strictEqual } from 'node:assert';
import { waitUntil } from '../../../wait-until.js';
import { passesInAnyBrowser, Sites } from '../page/any-browser.js';
import { haveAll } from '../page/site-in-tabs.js';
import { WebKit } from './webkit.js';

describe('a feed in WebKit', function () {
  this.timeout(60_000);
  const sites = new Sites(() => WebKit.start());

  passesInAnyBrowser(sites);

  it('ends with a page that is left, and continues where it was when it comes back', async () => {
    const site = sites.current;
    const [tab] = await site.openTabs('alive', 1);
    site.publish('before');
    await haveAll([tab!], ['before']);
    await tab!.navigate('about:blank');
    await waitUntil(() => site.polls() === 0);
    site.publish('meanwhile');
    await tab!.back();
    await waitUntil(() => site.polls() === 1);
    site.publish('after');
    await haveAll([tab!], ['before', 'meanwhile', 'after']);
  });

  it('aborts its poll at a wake, which the service sees, and sends the next', async () => {
    const site = sites.current;
    const [tab] = await site.openTabs('alone', 1);
    const { length } = site.emulator.requests;
    // Not the preflight of one.
    const aborted = site.emulator.requests.find(({ pending }) => pending)!;
    await waitUntil(async () => {
      await tab!.evaluate("dispatchEvent(new Event('online'))");
      return site.emulator.requests.length > length;
    });
    await waitUntil(() => !aborted.pending);
    strictEqual(aborted.status, undefined);
    await waitUntil(() => site.polls() === 1);
    site.publish('after');
    await haveAll([tab!], ['after']);
  });

  for (const kind of ['reset_in_body', 'close_in_body', 'truncated_json'] as const)
    it(`tries again after a broken body (${kind})`, async () => {
      const site = sites.current;
      const [tab] = await site.openTabs('alone', 1);
      // The poll that is open already is not affected, but the next one.
      site.emulator.fault(
        { kind },
        { times: 1, only: ({ method, url }) => method === 'GET' && url.includes('watch_index') },
      );
      site.publish('first');
      await haveAll([tab!], ['first']);
      await waitUntil(() => site.polls() === 1);
      site.publish('second');
      await haveAll([tab!], ['first', 'second']);
      const { states } = (await tab!.followed())!;
      ok(states.includes('retrying'), states.join());
    });
});
