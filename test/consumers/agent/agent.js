// The default fetch in Node leans on a method of Node's Agent that is not documented. This is what may break with it.
// With `http` as the second argument, the same of fromHttp.
import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import http from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const SOON = 2_000;
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const cuts = { 'cut cleanly': socket => socket.end(), 'cut by a reset': socket => socket.resetAndDestroy() };

/** A server that hands each request's socket to `answer`. */
async function serve(answer) {
  const sockets = [];
  const server = createServer(socket => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => answer(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, sockets, close };
}

/** The transport that is checked. */
async function transportOf(config) {
  if (process.argv[3] === 'http') return (await import('lobby-rx/node')).fromHttp(config);
  return (await import('lobby-rx')).fromFetch(config);
}

/** How a request ends: the text of its answer, or the reason of its error. */
async function outcomeOf(url, config) {
  const { firstValueFrom } = await import('rxjs');
  const request = { method: 'GET', url, headers: {} };
  const outcome = firstValueFrom((await transportOf(config))(request)).then(
    ({ text }) => text,
    error => error.reason,
  );
  return Promise.race([outcome, delay(SOON, 'no outcome', { ref: false })]);
}

async function cutBodies(config) {
  for (const [name, cut] of Object.entries(cuts)) {
    for (const framing of [
      'content-length: 100\r\n\r\n{"a',
      'transfer-encoding: chunked\r\n\r\n3\r\n{"a\r\n',
    ]) {
      const server = await serve(socket => socket.write(HEAD + framing, () => setTimeout(cut, 50, socket)));
      strictEqual(await outcomeOf(server.url, config), 'lost', `${name}, ${framing}`);
      server.close();
    }
  }
}

async function keptSockets() {
  const server = await serve(socket => socket.write(`${HEAD}content-length: 2\r\n\r\n{}`));
  const texts = [];
  for (let i = 0; i < 5; i++) texts.push(await outcomeOf(server.url));
  deepStrictEqual(texts, ['{}', '{}', '{}', '{}', '{}']);
  strictEqual(server.sockets.length, 1);
  server.close();
}

async function unsubscribing() {
  const transport = await transportOf();
  const upload = { method: 'POST', body: 'x'.repeat(32_000_000) };
  for (const request of [{ method: 'GET' }, upload]) {
    // An upload is stopped in the middle: the server reads no more than its beginning.
    let isOver = false;
    const server = await serve(socket => request.body && !isOver && socket.pause());
    const subscription = transport({ ...request, url: server.url, headers: {} }).subscribe(() => undefined);
    while (!server.sockets[0]?.bytesRead) await delay(10);
    subscription.unsubscribe();
    isOver = true;
    const [socket] = server.sockets;
    const closed = Promise.race([once(socket, 'close').then(() => true), delay(SOON, false, { ref: false })]);
    socket.resume();
    ok(await closed, `the socket of a ${request.method} stayed open`);
    ok(socket.bytesRead < upload.body.length, 'the upload went on');
    server.close();
  }
}

async function withoutAddRequest() {
  // A Node whose requests reach their agent in another way, by a method of which nothing is known.
  const { request, Agent } = http;
  const agent = Object.assign(new Agent({ keepAlive: true }), { addRequest: Agent.prototype.addRequest });
  delete Agent.prototype.addRequest;
  let requests = 0;
  http.request = (options, ...more) => {
    requests++;
    return request({ ...options, agent }, ...more);
  };
  await keptSockets();
  await cutBodies({ bodyIdleTimeout: 300 });
  strictEqual(requests, 9);
}

const checks = { cutBodies, keptSockets, unsubscribing, withoutAddRequest };
await checks[process.argv[2]]();
console.log('done');
process.exit();
