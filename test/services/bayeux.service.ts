import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { join } from 'node:path';
import { recovery, watchSignals, type IndexingConfig } from 'lobby-rx';
import { freePort } from '../free-port.js';
import { CuttingProxy } from './cutting-proxy.js';
import { followed, SHORT_WAITS } from './followed.js';
import { eventsOf, eventsToSend, gapsOf, LAST, unexplained } from './log-of-events.js';
import { Server, until } from './server.js';

/** A message of Bayeux, as far as it is read here. */
interface Message {
  readonly channel: string;
  readonly successful?: boolean;
  readonly error?: string;
  readonly clientId?: string;
  readonly data?: string;
}

/** What one connect has brought. */
interface Delivery {
  readonly clientId: string;
  readonly events: readonly string[];
}

class BayeuxError extends Error {
  /** Such as 401. */
  readonly code: string;

  constructor(error: string | undefined) {
    super(error);
    this.code = String(error).slice(0, 3);
  }
}

const CHANNEL = '/game';

describe('a watch of Bayeux, as Faye has it', function () {
  this.timeout(120_000);
  let server: Server;
  let port: number;
  let url: string;
  before(async () => {
    port = await freePort();
    url = urlOf(port);
    const program = join(import.meta.dirname, 'npm/bayeux.js');
    server = new Server(process.execPath, () => [program, String(port)], url);
    await server.prepare('lobby-rx-bayeux-');
    await server.start();
  });
  after(() => server.remove());

  function follow(at: string) {
    const sessions: string[] = [];
    const poll = async (clientId: string | undefined, { signal }: { readonly signal: AbortSignal }) => {
      if (clientId === undefined) {
        const session = await handshake(at, signal);
        await send(at, { channel: '/meta/subscribe', clientId: session, subscription: CHANNEL }, signal);
        sessions.push(session);
        return { clientId: session, events: [] } satisfies Delivery;
      }
      const connect = { channel: '/meta/connect', clientId, connectionType: 'long-polling' };
      const messages = await send(at, connect, signal);
      const events = messages.flatMap(({ channel, data }) => (channel === CHANNEL ? [data!] : []));
      return { clientId, events } satisfies Delivery;
    };
    const config: IndexingConfig<Delivery> = {
      indexOf: 'clientId',
      isEmpty: ({ events }) => events.length === 0,
      redelivers: false,
      // The server does not know the session.
      recovery: error =>
        error instanceof BayeuxError && error.code === '401'
          ? { kind: 'retry', dropsIndex: true }
          : recovery(error),
      ...SHORT_WAITS,
    };
    return { ...followed(watchSignals(poll, config), ({ events }) => events), sessions };
  }

  it('sees 300 messages once and in order', async () => {
    const { seen, sessions, stop } = follow(url);
    await until(() => sessions.length > 0, 'a session');
    const events = eventsToSend();
    await publish(url, events);
    await until(() => eventsOf(seen).includes(LAST), 'the last of them');
    stop();
    deepStrictEqual([unexplained(events, seen), gapsOf(seen)], [[], []]);
  });

  it('says so in a gap where an answer was cut, and what was in it is lost', async () => {
    const proxy = new CuttingProxy(port);
    const { seen, sessions, stop } = follow(urlOf(await proxy.start()));
    await until(() => sessions.length > 0, 'a session');
    const events = eventsToSend();
    for (let i = 0; i < 290; i += 10) {
      const before = seen.length + proxy.cuts;
      await publish(url, events.slice(i, i + 10));
      // So that there are as many answers, at least, on a busy machine.
      await until(() => seen.length + proxy.cuts > before, 'an answer');
    }
    await publish(url, events.slice(290, -1));
    proxy.stopCutting();
    await publish(url, [LAST]);
    await until(() => eventsOf(seen).includes(LAST), 'the last of them');
    stop();
    proxy.stop();
    deepStrictEqual(unexplained(events, seen), []);
    deepStrictEqual(new Set(gapsOf(seen)), new Set(['unanswered']));
    ok(proxy.cuts > 2, `${proxy.cuts} cuts`);
  });

  it('says so in a gap if the server has started anew', async () => {
    const { seen, sessions, stop } = follow(url);
    await until(() => sessions.length === 1, 'a session');
    await publish(url, ['before']);
    await until(() => seen.length > 0, 'a message');
    await server.kill();
    await server.start();
    await until(() => sessions.length === 2, 'a session of the new server');
    await publish(url, ['after']);
    await until(() => eventsOf(seen).length > 1, 'a message of the new server');
    stop();
    deepStrictEqual(eventsOf(seen), ['before', 'after']);
    strictEqual(gapsOf(seen).length, 1, gapsOf(seen).join());
  });
});

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}/faye`;
}

/** Sends a message. Resolves to what the server answers. */
async function send(url: string, message: object, signal: AbortSignal | null = null) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify([message]), signal });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const messages = (await response.json()) as readonly Message[];
  const failed = messages.find(({ successful }) => successful === false);
  if (failed) throw new BayeuxError(failed.error);
  return messages;
}

/** Resolves to the id of a new session. */
async function handshake(url: string, signal: AbortSignal | null = null): Promise<string> {
  const types = { supportedConnectionTypes: ['long-polling'] };
  const [answer] = await send(url, { channel: '/meta/handshake', version: '1.0', ...types }, signal);
  return answer!.clientId!;
}

/** Publishes events one after the other. */
async function publish(url: string, events: readonly string[]): Promise<void> {
  const clientId = await handshake(url);
  for (const data of events) await send(url, { channel: CHANNEL, clientId, data });
}
