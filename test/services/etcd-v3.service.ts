import { deepStrictEqual } from 'node:assert';
import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { watchSignals } from 'lobby-rx';
import { etcdKey } from 'lobby-rx/services';
import { startEtcd } from './etcd-server.js';
import { followed, SHORT_WAITS } from './followed.js';
import { eventsOf, eventsToSend, expectOneGap, gapsOf, LAST, unexplained } from './log-of-events.js';
import { until, type Server } from './server.js';

const KEY = 'events';

describe('a watch of etcd, by its third API', function () {
  this.timeout(120_000);
  let server: Server;
  let url: string;
  before(async () => {
    const etcd = await startEtcd('/health');
    ({ server, url } = etcd);
  });
  after(() => server.remove());

  const call = async (path: string, body: object, signal: AbortSignal | null = null) => {
    const response = await fetch(`${url}/v3/${path}`, { method: 'POST', body: JSON.stringify(body), signal });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return response;
  };
  interface Answer {
    readonly header: { readonly revision: string };
  }
  const revisionOf = async (response: Response) => ((await response.json()) as Answer).header.revision;
  const write = async (value: string) =>
    revisionOf(await call('kv/put', { key: toBase64(KEY), value: toBase64(value) }));

  const follow = (from?: string) =>
    followed(watchSignals({ ...etcdKey(url, KEY), ...SHORT_WAITS, from }), ({ changes }) =>
      changes.map(({ value }) => String(value)),
    );

  it('sees 300 events once and in order, over a kill -9', async () => {
    const { seen, states, stop } = follow();
    await until(() => states.includes('live'), 'live');
    const events = eventsToSend();
    for (const [i, event] of events.entries()) {
      await write(event);
      if (i !== 150) continue;
      await until(() => eventsOf(seen).length > i, 'half of them');
      await server.kill();
      await server.start();
    }
    await until(() => eventsOf(seen).includes(LAST), 'the last of them');
    stop();
    deepStrictEqual([unexplained(events, seen), gapsOf(seen)], [[], []]);
  });

  it('says so in a gap if the index was compacted', async () => {
    const old = await write('old');
    await write('between');
    const revision = await write('newest');
    await call('kv/compaction', { revision });
    const { seen, stop } = follow(old);
    await until(() => seen.length > 0, 'the gap');
    await write('after');
    await until(() => seen.length > 1, 'the next event');
    stop();
    deepStrictEqual(seen, [{ gap: 'index_rejected' }, { event: 'after' }]);
  });

  for (const how of ['wiped', 'restored from a copy'] as const)
    it(`says so in a gap if the log is ${how}, and sees all that is written then`, async () => {
      const member = join(server.folder, 'member');
      const copy = join(server.folder, 'copy');
      for (const value of ['s0', 's1']) await write(value);
      await server.kill();
      await cp(member, copy, { recursive: true });
      await server.start();
      const { seen, states, stop } = follow();
      await until(() => states.includes('live'), 'live');
      await expectOneGap({ seen, stop }, write, async () => {
        await server.kill();
        await rm(member, { recursive: true });
        if (how === 'wiped') await rm(copy, { recursive: true });
        else await rename(copy, member);
        await server.start();
      });
    });
});

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}
