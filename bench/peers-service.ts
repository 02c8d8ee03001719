// A server of many logs, `/0`, `/1`…, that speaks as one of the stand-ins does: node peers-
// service.mjs WIRE
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LANGUAGES, type Entry, type Question, type Wire } from './peers-protocol.js';
import type { PublishCommand, ServiceState } from './peers-cost.js';

const language = LANGUAGES[process.argv[2] as Wire];
const HANDLE = 'log-1';
/** How long a poll without news is held, in ms: for longer than an event takes to come. */
const HELD_MS = 40_000;
/** What each event has besides its number and its time. */
const TEXT = 'x'.repeat(200);

const logs = new Map<string, Entry[]>();
/** The polls that are held, by the path of their log. */
const held = new Map<string, () => void>();
let published = 0;

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://service');
  const log = logOf(pathname);
  const question = language.question(searchParams, log.length);
  if (!question.isHeld || log.length > (question.from ?? log.length)) {
    answer(response, log, question);
    return;
  }
  const release = () => {
    clearTimeout(timer);
    held.delete(pathname);
    answer(response, log, question);
  };
  const timer = setTimeout(release, HELD_MS);
  held.set(pathname, release);
});

function logOf(path: string): Entry[] {
  let log = logs.get(path);
  if (log === undefined) {
    log = [];
    logs.set(path, log);
  }
  return log;
}

function answer(response: ServerResponse, log: readonly Entry[], question: Question): void {
  const entries = log.slice(question.from ?? log.length);
  const { status, headers, text } = language.answer({ entries, next: log.length, handle: HANDLE }, question);
  response.writeHead(status, headers);
  response.end(text);
}

/** Publishes events to the logs in turn: all at once, or evenly over time. */
function publish({ count, perSecond, logs: among }: PublishCommand): void {
  if (perSecond === null) {
    for (let i = 0; i < count; i++) publishTo(`/${published % among}`);
    return;
  }
  const startedAt = performance.now();
  let done = 0;
  const publishDue = () => {
    const due = Math.min(count, Math.floor(((performance.now() - startedAt) * perSecond) / 1_000));
    while (done < due) {
      publishTo(`/${published % among}`);
      done++;
    }
    if (done < count) setTimeout(publishDue, 2);
  };
  publishDue();
}

function publishTo(path: string): void {
  published++;
  logOf(path).push({ n: String(published), at: String(process.hrtime.bigint()), text: TEXT });
  held.get(path)?.();
}

Object.assign(server, { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0, timeout: 0 });
server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
process.on('message', (command: PublishCommand | object) => {
  if ('perSecond' in command) publish(command);
  process.send?.({ held: held.size, published } satisfies ServiceState);
});
process.on('disconnect', () => process.exit());
