import { deepStrictEqual } from 'node:assert';
import { recovery, watchSignals, type IndexingConfig } from 'lobby-rx';
import { startEtcd } from './etcd-server.js';
import { followed, SHORT_WAITS } from './followed.js';
import { eventsOf, eventsToSend, gapsOf, LAST, unexplained } from './log-of-events.js';
import { until, type Server } from './server.js';

/** What was written, and the revision after it. */
interface Changes {
  readonly values: readonly string[];
  readonly next: string;
}

/** A line of the endless answer to a watch. */
interface WatchLine {
  readonly error?: { readonly message: string };
  readonly result?: {
    readonly canceled?: boolean;
    readonly events?: readonly { readonly kv: { readonly value?: string; readonly mod_revision: string } }[];
  };
}

/** The index is older than what is kept. */
class Compacted extends Error {}

const KEY = toBase64('events');

describe('a watch of etcd, by its third API', function () {
  this.timeout(120_000);
  let server: Server;
  let api: string;
  before(async () => {
    const etcd = await startEtcd('/health');
    server = etcd.server;
    api = `${etcd.url}/v3`;
  });
  after(() => server.remove());

  const call = async (path: string, body: object, signal: AbortSignal | null = null) => {
    const response = await fetch(`${api}/${path}`, { method: 'POST', body: JSON.stringify(body), signal });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return response;
  };
  interface Answer {
    readonly header: { readonly revision: string };
  }
  const revisionOf = async (response: Response) => ((await response.json()) as Answer).header.revision;
  const write = async (value: string) =>
    revisionOf(await call('kv/put', { key: KEY, value: toBase64(value) }));

  const poll = async (index: string | undefined, { signal }: { readonly signal: AbortSignal }) => {
    if (index === undefined) {
      const revision = await revisionOf(await call('kv/range', { key: KEY, count_only: true }, signal));
      return { values: [], next: revisionAfter(revision) } satisfies Changes;
    }
    const watching = { create_request: { key: KEY, start_revision: index } };
    const response = await call('watch', watching, signal);
    for await (const line of linesOf(response)) {
      const { error, result } = JSON.parse(line) as WatchLine;
      if (error) throw new Error(error.message);
      if (result?.canceled) throw new Compacted();
      const last = result?.events?.at(-1);
      if (last === undefined) continue;
      const values = result!.events!.map(({ kv }) => Buffer.from(kv.value ?? '', 'base64').toString());
      return { values, next: revisionAfter(last.kv.mod_revision) } satisfies Changes;
    }
    throw new Error('the answer has ended');
  };

  const config: IndexingConfig<Changes> = {
    indexOf: 'next',
    isEmpty: ({ values }) => values.length === 0,
    recovery: error => (error instanceof Compacted ? { kind: 'retry', dropsIndex: true } : recovery(error)),
    ...SHORT_WAITS,
  };

  const follow = (from?: string) => followed(watchSignals(poll, { ...config, from }), ({ values }) => values);

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
});

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function revisionAfter(revision: string): string {
  return String(BigInt(revision) + 1n);
}

/** The lines of an answer, as they come. Whoever stops reading closes the answer. */
async function* linesOf({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(part, { stream: true });
    const lines = text.split('\n');
    text = lines.pop()!;
    yield* lines.filter(line => line !== '');
  }
}
