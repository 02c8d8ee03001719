import { ok, strictEqual } from 'node:assert';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Subscription } from 'rxjs';
import { createClient } from 'lobby-rx';
import { waitUntil } from '../wait-until.js';

const FEEDS = 10_000;

/**
 * Starts feeds-service.ts. Each process has half of the sockets, of which a machine may not have
 * enough for both.
 */
async function startService() {
  const main = join(import.meta.dirname, 'feeds-service.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', main], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const read = async () => JSON.parse(String((await lines.next()).value)) as unknown;
  const port = (await read()) as number;
  const ask = async (command: 'count' | 'publish') => {
    child.stdin.write(`${command}\n`);
    return (await read()) as { readonly requests: number; readonly held: number };
  };
  return { url: `http://127.0.0.1:${port}`, ask, stop: () => child.stdin.end() };
}

describe(`${FEEDS} feeds in one process, all started at once`, () => {
  it('come up, although the process is busy for long, and all get the next event', async function () {
    this.timeout(300_000);
    const { url, ask, stop } = await startService();
    const feeds = new Subscription();
    let got = 0;
    for (let n = 0; n < FEEDS; n++) {
      const { feed } = createClient({ url, token: `t${n}` }).events;
      feeds.add(feed.unknown$.subscribe(() => got++));
    }
    let seen = await ask('count');
    await waitUntil(async () => {
      seen = await ask('count');
      return seen.held === FEEDS;
    });
    // Two for each feed, and a few that had to be repeated.
    ok(seen.requests < FEEDS * 2.2, `${seen.requests} requests`);
    await ask('publish');
    await waitUntil(() => got === FEEDS);
    feeds.unsubscribe();
    strictEqual(got, FEEDS);
    stop();
  });
});
