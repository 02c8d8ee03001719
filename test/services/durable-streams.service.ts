import { deepStrictEqual, ok } from 'node:assert';
import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { watchSignals } from 'lobby-rx';
import { durableStream, type DurableBatch } from 'lobby-rx/services';
import { freePort } from '../free-port.js';
import { followed, SHORT_WAITS } from './followed.js';
import { eventsOf, eventsToSend, gapsOf, LAST, unexplained } from './log-of-events.js';
import { Server, until } from './server.js';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('a watch of Durable Streams, by long polling', function () {
  this.timeout(120_000);
  let server: Server;
  let base: string;
  before(async () => {
    const port = await freePort();
    base = `http://127.0.0.1:${port}/streams`;
    const program = join(import.meta.dirname, 'npm/durable-streams.js');
    server = new Server(process.execPath, folder => [program, String(port), folder], `${base}/none`);
    await server.prepare('lobby-rx-streams-');
    await server.start();
  });
  after(() => server.remove());

  const create = (name: string) => fetch(`${base}/${name}`, { method: 'PUT', headers: JSON_TYPE });
  const append = async (name: string, event: string) => {
    const body = JSON.stringify(event);
    const { ok } = await fetch(`${base}/${name}`, { method: 'POST', headers: JSON_TYPE, body });
    if (!ok) throw new Error(`the server did not take ${event}`);
  };

  /** Follows a stream, and resolves once that is live. */
  async function follow(name: string, ack?: (batch: DurableBatch<string>) => PromiseLike<undefined>) {
    const stream = durableStream<string>(`${base}/${name}`);
    const signals = watchSignals({ ...stream, ...SHORT_WAITS, ...(ack && { ack }) });
    const following = followed(signals, ({ items }) => items);
    await until(() => following.states.includes('live'), 'live');
    return following;
  }

  it('sees 300 events in order, over a kill -9, and nothing again without a gap', async () => {
    await create('long');
    const { seen, stop } = await follow('long');
    const events = eventsToSend();
    for (const [i, event] of events.entries()) {
      await append('long', event);
      if (i !== 150) continue;
      await until(() => eventsOf(seen).length > i, 'half of them');
      await server.kill();
      await server.start();
    }
    await until(() => eventsOf(seen).includes(LAST), 'the last of them');
    stop();
    deepStrictEqual(unexplained(events, seen), []);
    // While it stores an event, it may answer with an offset that is older: then that event comes
    // again.
    deepStrictEqual(new Set(gapsOf(seen)), new Set(gapsOf(seen).length > 0 ? ['index_backwards'] : []));
  });

  it('says so in a gap if a stream was made anew between two polls, or while one was held', async () => {
    await create('anew');
    let goOn = () => {};
    const waiting = new Promise<undefined>(resolve => {
      goOn = () => resolve(undefined);
    });
    const { seen, states, stop } = await follow('anew', ({ items }) =>
      items.includes('old1') ? waiting : Promise.resolve(undefined),
    );
    await append('anew', 'old0');
    await until(() => seen.length > 0, 'the first event');
    await append('anew', 'old1');
    await until(() => seen.length > 1, 'the second event');
    await fetch(`${base}/anew`, { method: 'DELETE' });
    await create('anew');
    await append('anew', 'new0');
    goOn();
    await until(() => seen.length > 2, 'the gap');
    await append('anew', 'new1');
    await until(() => seen.length > 3, 'what comes after it');
    await fetch(`${base}/anew`, { method: 'DELETE' });
    await until(() => states.at(-1) === 'retrying', 'the answer that there is no such stream');
    await create('anew');
    await until(() => gapsOf(seen).length > 1, 'the second gap');
    await append('anew', 'newer');
    await until(() => seen.length > 5, 'what comes after that');
    stop();
    deepStrictEqual(eventsOf(seen), ['old0', 'old1', 'new1', 'newer']);
    deepStrictEqual(gapsOf(seen), ['index_backwards', 'index_rejected']);
  });

  it('says so in a gap if the server is restored from a copy, and sees all that comes then', async () => {
    await create('restored');
    for (const event of ['s0', 's1']) await append('restored', event);
    await server.kill();
    const copy = `${server.folder}-copy`;
    await cp(server.folder, copy, { recursive: true });
    await server.start();
    const { seen, states, stop } = await follow('restored');
    const before = Array.from({ length: 8 }, (_, i) => `old${i}`);
    for (const event of before) await append('restored', event);
    await until(() => seen.length === 8, 'all before');
    await server.kill();
    await rm(server.folder, { recursive: true });
    await rename(copy, server.folder);
    await server.start();
    await until(() => gapsOf(seen).length > 0, 'the gap');
    await until(() => states.at(-1) === 'live', 'live again');
    const after = Array.from({ length: 12 }, (_, i) => `new${i}`);
    for (const event of after) await append('restored', event);
    await until(() => eventsOf(seen).includes('new11'), 'the last of them');
    stop();
    deepStrictEqual([eventsOf(seen), gapsOf(seen)], [[...before, ...after], ['index_backwards']]);
  });

  it('ends when the stream is closed', async () => {
    await create('closed');
    const { seen, stop, isComplete } = await follow('closed');
    await append('closed', 'last');
    await until(() => seen.length > 0, 'the event');
    const headers = { ...JSON_TYPE, 'stream-closed': 'true' };
    ok((await fetch(`${base}/closed`, { method: 'POST', headers })).ok);
    await until(isComplete, 'the end');
    deepStrictEqual(seen, [{ event: 'last' }]);
    stop();
  });
});
