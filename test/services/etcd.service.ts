import { deepStrictEqual } from 'node:assert';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { watchSignals, type IndexingConfig, type PollContext } from 'lobby-rx';
import { startEtcd } from './etcd-server.js';
import { followed, SHORT_WAITS } from './followed.js';
import { expectOneGap } from './log-of-events.js';
import { until, type Server } from './server.js';

/**
 * What `wait` answers, with the index after it; a value of nobody if it only says where the server
 * is.
 */
interface Change {
  readonly value: string | undefined;
  readonly next: number;
  /** The index after the last one, if that is before the index that was sent. */
  readonly end?: number;
}

class EtcdError extends Error {
  constructor(readonly errorCode: number) {
    super(`etcd says ${errorCode}`);
  }
}

describe('a watch of etcd, by its second API', function () {
  this.timeout(120_000);
  let server: Server;
  let keys: string;
  before(async () => {
    const etcd = await startEtcd('/v2/keys/', '--enable-v2');
    server = etcd.server;
    keys = `${etcd.url}/v2/keys`;
  });
  after(() => server.remove());

  const write = (value: string, key = 'events') =>
    fetch(`${keys}/${key}`, { method: 'PUT', body: new URLSearchParams({ value }) });

  const poll = async (index: string | undefined, { signal }: PollContext): Promise<Change> => {
    const response = await fetch(`${keys}/events${index ? `?wait=true&waitIndex=${index}` : ''}`, { signal });
    const end = Number(response.headers.get('x-etcd-index')) + 1;
    // It would hold the poll. The headers come at once.
    if (end < Number(index)) {
      await response.body?.cancel();
      return { value: undefined, next: Number(index), end };
    }
    const text = await response.text();
    // It gives up a poll by an answer that is empty.
    if (text === '') return { value: undefined, next: Number(index) };
    const { errorCode, node } = JSON.parse(text) as {
      readonly errorCode?: number;
      readonly node?: { readonly value: string; readonly modifiedIndex: number };
    };
    if (errorCode !== undefined && errorCode !== 100) throw new EtcdError(errorCode);
    return index && node
      ? { value: node.value, next: node.modifiedIndex + 1 }
      : { value: undefined, next: end };
  };

  const config: IndexingConfig<Change> = {
    read: ({ value, next, end }) => ({ index: next, isEmpty: value === undefined, end }),
    // The index is older than the thousand events that it keeps.
    isGone: error => error instanceof EtcdError && error.errorCode === 401,
    ...SHORT_WAITS,
  };
  const follow = (from?: string) =>
    followed(watchSignals(poll, { ...config, from }), ({ value }) => (value === undefined ? [] : [value]));

  it('sees 500 events once and in order, of which each is written twice, over a kill -9', async () => {
    const { seen, states, stop } = follow();
    await until(() => states.includes('live'), 'live');
    const values = Array.from({ length: 500 }, (_, i) => `v${i >> 1}`);
    for (const [i, value] of values.entries()) {
      await write(value);
      if (i !== 250) continue;
      await until(() => seen.length > i, 'half of them');
      await server.kill();
      await server.start();
    }
    await until(() => seen.length >= 500, 'all of them');
    stop();
    deepStrictEqual(
      seen,
      values.map(event => ({ event })),
    );
  });

  it('says so in a gap if the index is older than what etcd keeps', async () => {
    const response = await write('first');
    const { node } = (await response.json()) as { readonly node: { readonly modifiedIndex: number } };
    for (let i = 0; i < 1_100; i += 50)
      await Promise.all(Array.from({ length: 50 }, (_, j) => write(String(i + j), 'others')));
    const { seen, stop } = follow(String(node.modifiedIndex + 1));
    await until(() => seen.length > 0, 'the gap');
    await write('after');
    await until(() => seen.length > 1, 'the next event');
    stop();
    deepStrictEqual(seen, [{ gap: 'index_rejected' }, { event: 'after' }]);
  });

  it('says so in a gap if the log was wiped, and sees all that is written then', async () => {
    const { seen, states, stop } = follow();
    await until(() => states.includes('live'), 'live');
    await expectOneGap({ seen, stop }, write, async () => {
      await server.kill();
      await rm(join(server.folder, 'member'), { recursive: true });
      await server.start();
    });
  });
});
