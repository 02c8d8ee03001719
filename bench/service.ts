// The service without any of its work, so that what is measured beside it is the client. It answers
// prepared text, holds polls that have the newest index, and publishes on command.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { handle } from '../test/payload.js';
import { eventBatch } from './event-batch.js';
import type { ServiceCommand, ServiceReply } from './service-process.js';

const held = new Set<ServerResponse>();
/**
 * The answers to the polls with index 0, 1, 2…, the newest ones, and when each was published, in
 * ns.
 */
const batches = new Map<number, string>();
const publishedAt: string[] = [];

/** So many batches are kept. */
const KEPT = 300;

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://service');
  if (request.method !== 'GET') {
    request.resume().on('end', () => answer(response, '{}'));
  } else if (pathname.endsWith('/members')) {
    answer(
      response,
      membersPage(Number(searchParams.get('anchor')), Number(searchParams.get('count') ?? 16)),
    );
  } else {
    const index = searchParams.get('watch_index');
    if (index === null)
      answer(response, JSON.stringify({ events: [], watch: { index: `${publishedAt.length}` } }));
    else if (Number(index) < publishedAt.length) answer(response, batches.get(Number(index))!);
    else {
      held.add(response);
      response.on('close', () => held.delete(response));
    }
  }
});

function answer(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

const GROUP = 1_000_000;
/** The members of pages of so many, whose ids begin with `@`. */
const memberTexts = new Map<number, string>();

/** A page of a group of a million members, each of them another. */
function membersPage(first: number, count: number): string {
  let text = memberTexts.get(count);
  if (text === undefined) {
    const member = (_: unknown, i: number) => ({ identity: { ...handle, identity_id: `@-${i}` } });
    text = JSON.stringify(Array.from({ length: count }, member));
    memberTexts.set(count, text);
  }
  const anchor = first + count < GROUP ? `"${first + count}"` : 'null';
  return `{"members":${text.replaceAll('@', `${first}`)},"anchor":${anchor},"watch":{"index":"1"}}`;
}

/** Publishes batches of events at once. Whoever polls gets them one by one. */
function publish(count: number, size: number): void {
  const next = publishedAt.length;
  for (let i = next; i < next + count; i++) {
    batches.set(i, JSON.stringify(eventBatch(size, i + 1)));
    batches.delete(i - KEPT);
  }
  const now = `${process.hrtime.bigint()}`;
  for (let i = 0; i < count; i++) publishedAt.push(now);
  for (const response of held) answer(response, batches.get(next)!);
  held.clear();
}

// Held polls are as long as the bench needs, and no idle socket is closed just as it is reused.
Object.assign(server, { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0, timeout: 0 });
server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => {
  reply({ port: (server.address() as AddressInfo).port });
});
process.on('message', (command: ServiceCommand) => {
  if (command.do === 'publish') publish(command.count, command.size);
  reply({ held: held.size, publishedAt: publishedAt.slice(command.since) });
});
process.on('disconnect', () => process.exit());

function reply(message: ServiceReply): void {
  process.send?.(message);
}
