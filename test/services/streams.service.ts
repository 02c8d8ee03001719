import { deepStrictEqual, ok } from 'node:assert';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { watchSignals } from 'lobby-rx';
import { linesOf, sseEvents, type ServiceResponse } from 'lobby-rx/services';
import { CuttingProxy } from './cutting-proxy.js';
import { followed, SHORT_WAITS } from './followed.js';
import { eventsOf, eventsToSend, gapsOf, LAST, unexplained } from './log-of-events.js';
import { until } from './server.js';

/** How an event is written, and how the events of an answer are read. */
const FORMS = {
  sse: {
    type: 'text/event-stream',
    write: (id: number, event: string) => `: a comment\r\nid: ${id}\r\ndata: ${event}\r\n\r\n`,
    async read(response: ServiceResponse) {
      for await (const events of sseEvents(response, 3_000))
        return { events: events.map(({ data }) => data), next: events.at(-1)?.id };
      return undefined;
    },
  },
  ndjson: {
    type: 'application/x-ndjson',
    write: (id: number, event: string) => `${JSON.stringify({ id, event })}\n`,
    async read(response: ServiceResponse) {
      for await (const line of linesOf(response, 3_000)) {
        const { id, event } = JSON.parse(line) as { readonly id: number; readonly event: string };
        return { events: [event], next: String(id) };
      }
      return undefined;
    },
  },
};
type Form = keyof typeof FORMS;

/** A log that streams its events from an id on, as `/sse?since=` or `/ndjson?since=`. */
class StreamedLog {
  readonly #events: string[] = [];
  readonly #open = new Map<ServerResponse, Form>();
  readonly #server: Server;

  constructor() {
    this.#server = createServer(({ url = '' }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://log');
      const form = pathname.slice(1) as Form;
      response.writeHead(200, { 'content-type': FORMS[form].type, 'cache-control': 'no-store' });
      response.flushHeaders();
      const since = Number(searchParams.get('since'));
      const missed = this.#events.slice(since).map((event, i) => FORMS[form].write(since + i + 1, event));
      response.write(missed.join(''));
      this.#open.set(response, form);
      response.on('close', () => this.#open.delete(response));
    });
  }

  async start(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  send(event: string): void {
    this.#events.push(event);
    for (const [response, form] of this.#open) response.write(FORMS[form].write(this.#events.length, event));
  }

  get open(): number {
    return this.#open.size;
  }
}

interface Batch {
  readonly events: readonly string[];
  readonly next: string | undefined;
}

function follow(url: string, form: Form) {
  const poll = async (index: string | undefined, { signal }: { readonly signal: AbortSignal }) => {
    const response = await fetch(`${url}/${form}?since=${index ?? 0}`, { signal });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return (await FORMS[form].read(response)) ?? ({ events: [], next: index } satisfies Batch);
  };
  const signal$ = watchSignals<Batch>(poll, {
    read: ({ events, next }) => ({ index: next, isEmpty: events.length === 0 }),
    ...SHORT_WAITS,
    from: '0',
  });
  return followed(signal$, ({ events }) => events);
}

describe('a watch of a service that streams', function () {
  this.timeout(120_000);
  for (const form of Object.keys(FORMS) as Form[])
    it(`sees 300 events of ${form} once and in order, over connections that are cut`, async () => {
      const log = new StreamedLog();
      const proxy = new CuttingProxy(await log.start());
      const { seen, stop } = follow(`http://127.0.0.1:${await proxy.start()}`, form);
      for (const [i, event] of eventsToSend().entries()) {
        log.send(event);
        // So that there are as many answers, at least, on a busy machine.
        if (i % 5 === 0) await until(() => eventsOf(seen).length > i, 'what was sent');
      }
      await until(() => eventsOf(seen).includes(LAST), 'the last of them');
      stop();
      deepStrictEqual([unexplained(eventsToSend(), seen), gapsOf(seen)], [[], []]);
      ok(proxy.cuts > 2, `${proxy.cuts} cuts`);
      // It lets go of each answer.
      await until(() => log.open === 0, 'the end of each answer');
      proxy.stop();
      log.stop();
    });
});
