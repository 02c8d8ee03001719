import { deepStrictEqual, ok } from 'node:assert';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitUntil } from '../../../wait-until.js';
import { haveAll, isLive, type SiteTab } from './site-in-tabs.js';
import { createSite } from './site.js';

/** A browser that a test has started. */
interface StartedBrowser {
  openTab(url: string): Promise<SiteTab>;
  close(): Promise<unknown>;
}

/** How long a renewal takes, in ms. All tabs ask within it. */
const RENEWAL_MS = 500;

/**
 * A server whose refresh cookie works once. It takes a second use for theft, and signs everyone
 * out.
 */
async function createRotatingServer(renewed: () => string) {
  let cookie = 0;
  let isRevoked = false;
  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', request.headers.origin ?? '');
    response.setHeader('access-control-allow-credentials', 'true');
    const isRenewal = request.url === '/renew';
    if (isRenewal) {
      isRevoked ||= request.headers.cookie !== `refresh=${cookie}`;
      cookie++;
    }
    response.statusCode = isRevoked ? 401 : 200;
    if (!isRevoked) response.setHeader('set-cookie', `refresh=${cookie}; HttpOnly; Path=/`);
    const text = isRenewal && !isRevoked ? renewed() : '';
    setTimeout(() => response.end(text), isRenewal ? RENEWAL_MS : 0);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    renewals: () => cookie,
    isRevoked: () => isRevoked,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The tests of tabs that renew their tokens at once, in any browser. */
export function renewsInAnyBrowser(start: () => Promise<StartedBrowser>): void {
  let browser: StartedBrowser;
  let site: Awaited<ReturnType<typeof createSite>>;
  let signIn: Awaited<ReturnType<typeof createRotatingServer>>;
  const tabs: SiteTab[] = [];
  before(async () => {
    browser = await start();
  });
  after(() => browser.close());
  beforeEach(async () => {
    site = await createSite('renewal-page.ts');
  });
  afterEach(async () => {
    for (const tab of tabs.splice(0)) await tab.close().catch(() => undefined);
    signIn.close();
    await site.close();
  });

  /** Opens three tabs, whose tokens then expire at once. */
  const expireInTabs = async (isLocked: boolean) => {
    const page = new URL(site.pageUrl('alone'));
    const token = page.searchParams.get('token')!;
    signIn = await createRotatingServer(() => site.emulator.renewToken(token));
    page.searchParams.set('signIn', signIn.url);
    page.searchParams.set('isLocked', String(isLocked));
    for (let n = 0; n < 3; n++) {
      const tab = await browser.openTab(page.href);
      tabs.push(tab);
      await isLive(tab);
    }
    await waitUntil(() => site.polls() === 3);
    site.emulator.expireToken(token);
    site.publish('expired');
  };

  it('follow on if one renews after the other, although a refresh cookie works once', async () => {
    await expireInTabs(true);
    await waitUntil(() => signIn.renewals() === 3 && site.polls() === 3);
    site.publish('after');
    await haveAll(tabs, ['expired', 'after']);
    deepStrictEqual(signIn.isRevoked(), false);
  });

  it('are signed out without that lock', async () => {
    await expireInTabs(false);
    await waitUntil(async () => {
      const all = await Promise.all(tabs.map(tab => tab.followed()));
      return all.some(followed => followed?.gaps.includes('UnauthorizedError'));
    });
    ok(signIn.isRevoked());
  });
}
