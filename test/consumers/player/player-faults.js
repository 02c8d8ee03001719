// What a lobby and the way to it may do, and what becomes of players in another runtime: node player-faults.js COMMAND…
// Prints a line for each fault, and 'done' if everybody who may is in again. On a quiet machine that takes 6 s at most.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

const [command, ...options] = process.argv.slice(2);
/** A busy machine may need this long. */
const LIMIT_MS = 60_000;

/** The service: what it knows of each token, and a switch for each fault. */
const service = {
  isDown: false,
  /** While it is a list, confirmations wait in it. */
  held: undefined,
  /** Whether a token is used before the answer is held. */
  isLate: false,
  slots: new Map(),
  freed: 0,
  freedAgain: 0,
};

function answer(path, token) {
  if (token === undefined || !token.startsWith('token-')) return [400, { code: 'TOKEN_ERROR' }];
  const slot = service.slots.get(token);
  if (path.endsWith('/disconnected')) {
    if (slot === 'used') service.freed++;
    else if (slot === 'freed') service.freedAgain++;
    service.slots.set(token, 'freed');
    return [200, {}];
  }
  if (slot === 'used') return [400, { code: 'MATCHMAKER_PLAYER_ALREADY_CONNECTED' }];
  if (slot === 'freed') return [400, { code: 'MATCHMAKER_PLAYER_REMOVED' }];
  service.slots.set(token, 'used');
  return [200, {}];
}

const serviceServer = createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  const { player_token: token } = JSON.parse(body || '{}');
  const reply = ([status, json]) => {
    const message = json.code === undefined ? {} : { message: json.code };
    response.writeHead(status, { 'content-type': 'application/json', 'rvt-ray-id': 'r' });
    response.end(JSON.stringify({ ...message, ...json }));
  };
  if (service.isDown) {
    response.writeHead(502, { 'content-type': 'text/html' }).end('<html>');
  } else if (service.held && token?.startsWith('token-') && request.url.endsWith('/connected')) {
    const late = service.isLate ? answer(request.url, token) : undefined;
    service.held.push(() => reply(late ?? answer(request.url, token)));
  } else reply(answer(request.url, token));
}).listen(0, '127.0.0.1');
await once(serviceServer, 'listening');
const serviceUrl = `http://127.0.0.1:${serviceServer.address().port}`;

const folder = mkdtempSync(join(tmpdir(), 'lobby-rx-slots-'));
/** The gate has the same port each time. */
const gatePort = await freePort();
let gate;
/** With a folder, the next process knows the players of one that was killed. */
async function startGate(withFiles = true) {
  gate = fork('player-gate.js', [serviceUrl, gatePort, ...(withFiles ? [folder] : [])]);
  await once(gate, 'message');
}
async function killGate() {
  gate.kill('SIGKILL');
  await once(gate, 'exit');
}

/** The way to the gate, which may be away. */
const wayPort = await freePort();
const sockets = new Set();
let way;
async function openWay() {
  way = createTcpServer(near => {
    const far = connect(gatePort, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    near.pipe(far).pipe(near);
  }).listen(wayPort, '127.0.0.1', 1_024);
  await once(way, 'listening');
}
function closeWay() {
  way.close();
  for (const socket of sockets) socket.destroy();
}

async function freePort() {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** Players in a process of their own. */
function startPlayers() {
  const child = spawn(command, [...options, 'players.js', `ws://127.0.0.1:${wayPort}/`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (count = '') => {
    child.stdin.write(`${count}\n`);
    const { value } = await lines.next();
    return JSON.parse(value);
  };
  const enter = async (count, spread = 0) => {
    if (spread === 0) return ask(count);
    for (let i = 0; i < count; i++) {
      await ask(1);
      await pause(spread / count);
    }
  };
  const leave = async () => {
    child.stdin.end();
    await once(child, 'exit');
  };
  return { ask, enter, leave };
}

/** Waits until the players are in these states, and says how long that took. */
async function untilAll(players, expected) {
  const wanted = JSON.stringify(expected);
  const begin = performance.now();
  let counts = await players.ask();
  while (JSON.stringify(counts) !== wanted && performance.now() - begin < LIMIT_MS) {
    await pause(50);
    counts = await players.ask();
  }
  const isGood = JSON.stringify(counts) === wanted;
  if (!isGood) process.exitCode = 1;
  const seconds = ((performance.now() - begin) / 1_000).toFixed(1);
  return `${JSON.stringify(counts)} after ${seconds} s${isGood ? '' : `; wanted ${wanted}`}`;
}

/** Runs one story with a fresh service and fresh players. Then all leave, and their slots are freed, each once. */
async function story(name, run, stillUsed) {
  Object.assign(service, { isDown: false, held: undefined, isLate: false, freed: 0, freedAgain: 0 });
  service.slots.clear();
  const players = startPlayers();
  const told = await run(players);
  await players.leave();
  const countUsed = () => [...service.slots.values()].filter(slot => slot === 'used').length;
  let used = countUsed();
  // A player who has not said goodbye may come back for 60 s. Then the gate frees 64 slots at once, for
  // as long as that takes, and tries one again after 60 s at most.
  for (let waited = 0; used > stillUsed && waited < 135_000; waited += 100) {
    await pause(100);
    const before = used;
    used = countUsed();
    if (used < before) waited = 0;
  }
  if (used !== stillUsed || service.freedAgain > 0) process.exitCode = 1;
  console.log(`${name}: ${told}; freed ${service.freed}, again ${service.freedAgain}, still used ${used}`);
}

/** Lets the service hold confirmations until so many players wait for one. */
async function hold(count, isLate) {
  Object.assign(service, { held: [], isLate });
  return async () => {
    const begin = performance.now();
    while (service.held.length < count && performance.now() - begin < 20_000) await pause(20);
    return service.held.length;
  };
}
function release() {
  const held = service.held;
  service.held = undefined;
  for (const go of held) go();
}

/** Only the stories whose names contain this. */
const only = process.env.STORY ?? '';
const stories = {
  'the service is away for 4 s': async players => {
    service.isDown = true;
    await players.enter(50, 4_000);
    service.isDown = false;
    return untilAll(players, { live: 50 });
  },
  '600 at once, a slow service': async players => {
    const held = await hold(256, false);
    await players.enter(600);
    const asked = await held();
    release();
    return `${asked} asked for at once; ${await untilAll(players, { live: 600 })}`;
  },
  'the way is away for 3 s': players => awayFor(players, 3_000),
  'the way is away for 40 s': players => awayFor(players, 40_000),
  'the gate is killed while players are in': async players => {
    await players.enter(20);
    await untilAll(players, { live: 20 });
    await killGate();
    await pause(1_000);
    await startGate();
    return untilAll(players, { 'out: expired': 20 });
  },
  'the gate is killed before the service has heard': players => killedEarly(players, { live: 20 }),
  'the gate is killed before its welcome': players =>
    killedEarly(players, { 'out: already_connected': 20 }, { isLate: true }),
  // Each token waits until its slot is free.
  'the same with slot files': players =>
    killedEarly(players, { 'out: removed': 20 }, { isLate: true, withFiles: true }),
};
/** Without slot files, nobody frees the slots of a gate that was killed. */
const stillUsed = { 'the gate is killed before its welcome': 20 };

async function awayFor(players, time) {
  await players.enter(20);
  await untilAll(players, { live: 20 });
  closeWay();
  await pause(time);
  await openWay();
  return untilAll(players, { live: 20 });
}

async function killedEarly(players, expected, { isLate = false, withFiles = false } = {}) {
  await killGate();
  await startGate(withFiles);
  const held = await hold(20, isLate);
  await players.enter(20);
  const asked = await held();
  await killGate();
  service.held = undefined;
  await pause(1_000);
  await startGate(withFiles);
  return `${asked} asked for; ${await untilAll(players, expected)}`;
}

try {
  await startGate();
  await openWay();
  for (const [name, run] of Object.entries(stories)) {
    if (name.includes(only)) await story(name, run, stillUsed[name] ?? 0);
  }
  if (!process.exitCode) console.log('done');
} finally {
  await killGate();
  rmSync(folder, { recursive: true, force: true });
  process.exit();
}
