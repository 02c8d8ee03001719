import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import type { GateName, Question } from './admission-server.js';
import type { AdmissionService } from './admission-service.js';
import { compare, interleaved, roundsOf, type Rounds } from './measure.js';
import { joinColyseus, joinSocketIo } from './peers.js';
import type { Report } from './report.js';
import { replyOf } from './service-process.js';

const ROUNDS = 9;
const CONNECTIONS = 200;
const AT_ONCE = 20;
/** How many players are connected when memory is measured. */
const PLAYERS = 1_000;
const ECHOES = 5_000;
const MESSAGE = 'x'.repeat(100);

/**
 * What an admission, a refusal, an echo and a connected player cost a gate, beside gates by hand
 * and peers.
 */
export async function benchAdmissions(report: Report): Promise<void> {
  const child = fork(join(import.meta.dirname, 'admission-service.mjs'));
  const { port, tlsPort, cert } = (await replyOf(child)) as AdmissionService;
  const certFile = join(import.meta.dirname, 'cert.pem');
  writeFileSync(certFile, cert);
  for (const url of [`http://127.0.0.1:${port}`, `https://127.0.0.1:${tlsPort}`]) {
    const start = (name: GateName) => startGate(name, url, certFile);
    const ours = await start('lobby-rx');
    const gates = {
      'lobby-rx': ours,
      'lobby-rx, fromHttp': await start('lobby-rx, fromHttp'),
      'by hand': await start('by hand'),
      'by hand, fetch with kept sockets': await start('by hand, fetch with kept sockets'),
    };
    const scheme = url.split(':', 1)[0]!;
    report.heading(`A player who is admitted over ${scheme} and leaves, CPU time of the gate`);
    compare(report, await costs(gates, 'player'), 'µs', { 'by hand': [2.4, 1.8] });
    report.heading(`A token that the service refuses over ${scheme}, CPU time of the gate`);
    compare(report, await costs(gates, 'junk'), 'µs', { 'by hand': [3.2, 1.6] });
    for (const { stop } of Object.values(gates)) stop();
  }

  const start = (name: GateName) => startGate(name, `http://127.0.0.1:${port}`, certFile);
  const [ours, ws] = [await start('lobby-rx'), await start('ws alone')];
  report.heading('An echo of 100 bytes to one of 20 admitted players, CPU time of the gate');
  const echoes = { 'lobby-rx': () => echoCost(ours), 'ws alone': () => echoCost(ws) };
  compare(report, await interleaved(echoes, { rounds: ROUNDS }), 'µs', { 'ws alone': 1.11 });
  for (const { stop } of [ours, ws]) stop();

  report.heading(`${PLAYERS} connected players, live memory of the gate for each`);
  const memory: Partial<Record<GateName, readonly number[]>> = {};
  for (const name of ['lobby-rx', 'ws alone', 'by hand', 'socket.io', '@colyseus/core'] as const) {
    memory[name] = [await memoryOf(await start(name), PEERS[name] ?? connect)];
  }
  compare(report, roundsOf(memory as Record<GateName, number[]>), 'KB', { 'socket.io': [1, 0.8] });
  child.disconnect();
  rmSync(certFile);
}

/** A gate in a process of its own. */
interface Gate {
  readonly port: number;
  readonly ask: (question: Question) => Promise<number>;
  readonly stop: () => void;
}

async function startGate(name: GateName, url: string, certFile: string): Promise<Gate> {
  const child = fork(join(import.meta.dirname, 'admission-server.mjs'), [name, url], {
    execArgv: ['--expose-gc'],
    env: { ...process.env, NODE_EXTRA_CA_CERTS: certFile },
  });
  const { port } = (await replyOf(child)) as { port: number };
  const ask = async (question: Question) => ((await replyOf(child, { question })) as { value: number }).value;
  return { port, ask, stop: () => child.disconnect() };
}

/** Connects a player, who is in once it resolves. Its result ends the connection. */
type Connect = (port: number, token: string) => Promise<() => void>;

const PEERS: Partial<Record<GateName, Connect>> = {
  'socket.io': joinSocketIo,
  '@colyseus/core': joinColyseus,
};

/** No token comes twice. */
let tokens = 0;

const connect: Connect = async (port, token) => {
  const ws = new WebSocket(`ws://127.0.0.1:${port}/?token=${token}`).on('error', () => undefined);
  await new Promise(resolve => ws.once('open', resolve).once('close', resolve));
  return () => ws.terminate();
};

/** The CPU time of one connection, in µs. */
function costs<K extends GateName>(
  gates: Readonly<Record<K, Gate>>,
  token: 'player' | 'junk',
): Promise<Rounds<K>> {
  const contenders = Object.entries<Gate>(gates).map(([name, { port, ask }]) => {
    const come = async () => (await connect(port, `${token}-${tokens++}`))();
    return [name, () => cpuPer(ask, CONNECTIONS, come)];
  });
  const byName = Object.fromEntries(contenders) as Record<K, () => Promise<number>>;
  return interleaved(byName, { rounds: ROUNDS, warmUp: 3 });
}

async function echoCost({ port, ask }: Gate): Promise<number> {
  const players = Array.from(
    { length: AT_ONCE },
    () => new WebSocket(`ws://127.0.0.1:${port}/?token=echo-${tokens++}`),
  );
  await Promise.all(players.map(player => once(player, 'open')));
  // The player of an echo is not waiting for another one.
  const free = [...players];
  const cost = await cpuPer(ask, ECHOES, async () => {
    const player = free.pop()!;
    player.send(MESSAGE);
    await once(player, 'message');
    free.push(player);
  });
  for (const player of players) player.terminate();
  return cost;
}

/** The CPU time that each of so many tasks takes, in µs. */
async function cpuPer(ask: Gate['ask'], count: number, task: () => Promise<void>): Promise<number> {
  const before = await ask('cpu');
  let left = count;
  const next = async () => {
    while (left-- > 0) await task();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return (((await ask('cpu')) - before) / count) * 1_000;
}

/** The memory of one connected player, in KB. */
async function memoryOf({ port, ask, stop }: Gate, come: Connect): Promise<number> {
  const crowd = async () => {
    const leave: (() => void)[] = [];
    let left = PLAYERS;
    const next = async () => {
      while (left-- > 0) leave.push(await come(port, `player-${tokens++}`));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    return leave;
  };
  // What is kept after the first ones have left is not a player's.
  for (const leave of await crowd()) leave();
  await new Promise(resolve => setTimeout(resolve, 500));
  const before = await ask('memory');
  const leaving = await crowd();
  const memory = (await ask('memory')) - before;
  for (const leave of leaving) leave();
  stop();
  return memory / PLAYERS / 1_024;
}
