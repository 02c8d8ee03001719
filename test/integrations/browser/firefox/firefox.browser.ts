import { strictEqual } from 'node:assert';
import { waitUntil } from '../../../wait-until.js';
import { passesInAnyBrowser, Sites } from '../page/any-browser.js';
import { pollsAfterWake, WORKERS } from '../page/service-worker.js';
import { haveAll, isLive } from '../page/site-in-tabs.js';
import { Firefox } from './firefox.js';

describe('a feed in Firefox', function () {
  this.timeout(90_000);
  const sites = new Sites(() => Firefox.start());

  passesInAnyBrowser(sites);

  // Firefox keeps no page whose poll is open when it is left. What comes back is a new page.
  it('ends with a page that is left, and begins anew, with no old event, when that comes back', async () => {
    const site = sites.current;
    const [tab] = await site.openTabs('alive', 1);
    site.publish('before');
    await haveAll([tab!], ['before']);
    await waitUntil(() => site.polls() === 1);
    await tab!.navigate('about:blank');
    await waitUntil(() => site.polls() === 0);
    site.publish('meanwhile');
    await tab!.back();
    await waitUntil(() => site.polls() === 1);
    await isLive(tab!);
    site.publish('after');
    await haveAll([tab!], ['after']);
  });

  it('continues in the page that comes back from the checkpoint that was saved', async () => {
    const site = sites.current;
    const [tab] = await site.openTabs('saved', 1);
    site.publish('before');
    await haveAll([tab!], ['before']);
    // The event is acknowledged: the next poll is open.
    await waitUntil(() => site.polls() === 1);
    await tab!.navigate('about:blank');
    await waitUntil(() => site.polls() === 0);
    site.publish('meanwhile');
    await tab!.back();
    await waitUntil(() => site.polls() === 1);
    site.publish('after');
    await haveAll([tab!], ['meanwhile', 'after']);
  });

  it('has one poll after a wake behind a service worker that leaves the service alone', async () => {
    const site = await sites.replace(WORKERS.leavesServiceAlone);
    const [tab] = await site.openTabs('alone', 1);
    await pollsAfterWake(site, tab!);
    await waitUntil(() => site.polls() === 1);
    site.publish('a');
    await haveAll([tab!], ['a']);
  });

  it('leaves the aborted poll open at the service behind one that passes all on; events come', async () => {
    const site = await sites.replace(WORKERS.passesAllOn);
    const [tab] = await site.openTabs('alone', 1);
    strictEqual(await pollsAfterWake(site, tab!), 2);
    site.publish('a');
    await haveAll([tab!], ['a']);
  });
});
