import { deepStrictEqual } from 'node:assert';
import { EMPTY, from, switchMap } from 'rxjs';
import { recovery, watchSignals, type IndexingConfig } from 'lobby-rx';
import { freePort } from '../free-port.js';
import { Server, until } from './server.js';

/**
 * What `wait` answers, with the index after it; a value of nobody if it only says where the server
 * is.
 */
interface Change {
  readonly value: string | undefined;
  readonly next: number;
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
    const [client, peer] = [await freePort(), await freePort()];
    const at = `http://127.0.0.1:${client}`;
    const peers = `http://127.0.0.1:${peer}`;
    server = new Server(
      'etcd',
      folder => [
        '--enable-v2',
        '--data-dir',
        folder,
        '--listen-client-urls',
        at,
        '--advertise-client-urls',
        at,
        '--listen-peer-urls',
        peers,
        '--initial-advertise-peer-urls',
        peers,
        '--initial-cluster',
        `default=${peers}`,
      ],
      `${at}/v2/keys/`,
    );
    await server.prepare('lobby-rx-etcd-');
    await server.start();
    keys = `${at}/v2/keys`;
  });
  after(() => server.remove());

  const write = (value: string, key = 'events') =>
    fetch(`${keys}/${key}`, { method: 'PUT', body: new URLSearchParams({ value }) });

  const poll = (index: string | undefined, { signal }: { readonly signal: AbortSignal }) =>
    from(fetch(`${keys}/events${index ? `?wait=true&waitIndex=${index}` : ''}`, { signal })).pipe(
      switchMap(async response => ({ response, text: await response.text() })),
      switchMap(({ response, text }) => {
        // It gives up a poll by an answer that is empty.
        if (text === '') return EMPTY;
        const { errorCode, node } = JSON.parse(text) as {
          readonly errorCode?: number;
          readonly node?: { readonly value: string; readonly modifiedIndex: number };
        };
        if (errorCode !== undefined && errorCode !== 100) throw new EtcdError(errorCode);
        const now = Number(response.headers.get('x-etcd-index'));
        return [
          index && node
            ? { value: node.value, next: node.modifiedIndex + 1 }
            : ({ value: undefined, next: now + 1 } satisfies Change),
        ];
      }),
    );

  const config: IndexingConfig<Change> = {
    indexOf: 'next',
    isEmpty: ({ value }) => value === undefined,
    // 401: the index is older than the thousand events that it keeps.
    recovery: error =>
      error instanceof EtcdError && error.errorCode === 401 ? { kind: 'index' } : recovery(error),
    backoff: { initial: 100, max: 500 },
    // What equals the event before, at once, is paid for.
    minInterval: 10,
  };

  it('sees 500 events once and in order, of which each is written twice, over a kill -9', async () => {
    const seen: (string | undefined)[] = [];
    const gaps: string[] = [];
    const states: string[] = [];
    const following = watchSignals(poll, config).subscribe(signal => {
      if (signal.kind === 'answer') seen.push(signal.answer.value);
      if (signal.kind === 'gap') gaps.push(signal.gap.reason);
      if (signal.kind === 'status') states.push(signal.status.state);
    });
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
    deepStrictEqual([seen, gaps], [values, []]);
    following.unsubscribe();
  });

  it('says so in a gap if the index is older than what etcd keeps', async () => {
    const signals: string[] = [];
    const response = await write('first');
    const { node } = (await response.json()) as { readonly node: { readonly modifiedIndex: number } };
    for (let i = 0; i < 1_100; i += 50)
      await Promise.all(Array.from({ length: 50 }, (_, j) => write(String(i + j), 'others')));
    const resumed = { ...config, from: String(node.modifiedIndex + 1) };
    const following = watchSignals(poll, resumed).subscribe(signal => {
      if (signal.kind === 'gap') signals.push(signal.gap.reason);
      if (signal.kind === 'answer') signals.push(signal.answer.value!);
    });
    await until(() => signals.length > 0, 'the gap');
    await write('after');
    await until(() => signals.length > 1, 'the next event');
    deepStrictEqual(signals, ['index_rejected', 'after']);
    following.unsubscribe();
  });
});
