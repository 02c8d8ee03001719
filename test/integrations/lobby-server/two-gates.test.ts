import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { delay, dematerialize, materialize, mergeMap, NEVER, of, Subject, throwError, timer } from 'rxjs';
import { createClient, TransportError, type Transport, type TransportResponse } from 'lobby-rx';
import { createEmulator, type Emulator } from 'lobby-rx/emulator';
import { lobbyGate, slotFiles, type GateLogEntry, type PlayerSocket } from 'lobby-rx/lobby-server';
import { runs } from '../../runs.js';
import { randomNumbers } from '../../simulation/simulate.js';
import { turns } from '../../turns.js';
import { virtualTime } from '../../virtual-time.js';
import { waitUntil } from '../../wait-until.js';
import { tryConnect, type ConnectResult } from './connect-player.js';

/** What a lobby's two gates share: the service, the folder, and what has happened to whom. */
interface Lobby {
  readonly emulator: Emulator;
  readonly token: string;
  readonly folder: string;
  readonly random: () => number;
  /**
   * How likely a request or an answer is lost, and how likely a proxy's page, or a wrong token of
   * ours, takes its place.
   */
  readonly losses: number;
  /** The players who are in, at either gate, by their tokens. */
  readonly inside: Map<string, PlayerSocket>;
  readonly freed: Set<string>;
  /** The tokens whose files were cut off while their gate was killed. */
  readonly cut: Set<string>;
  readonly log: GateLogEntry[];
  readonly violations: string[];
}

/**
 * A process with a gate: all of it stops when it is killed, and none of its timers goes off any
 * more.
 */
class GateProcess {
  readonly #lobby: Lobby;
  readonly #drain$ = new Subject<void>();
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer();
  readonly #time = virtualTime();
  #isOver = false;
  #isComplete = false;

  constructor(
    lobby: Lobby,
    readonly name: string,
  ) {
    this.#lobby = lobby;
    this.#server.on('connection', socket => {
      this.#sockets.add(socket.on('close', () => this.#sockets.delete(socket)));
    });
  }

  async start(): Promise<this> {
    const { emulator, token, folder, log } = this.#lobby;
    const { scheduler } = this.#time;
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    const client = createClient({ ...emulator.urls, token, transport: this.#transport, scheduler });
    const slots = slotFiles({
      client,
      folder,
      gate: this.name,
      scheduler,
      log: entry => void log.push(entry),
    });
    const gate$ = lobbyGate({
      server: this.#server,
      ...slots,
      scheduler,
      drain$: this.#drain$,
      token: 'query',
      addressOf: () => '',
      log: entry => void log.push(entry),
      // A process that has been killed sees nobody leave.
      freeSlot: player => (this.#isOver ? NEVER : slots.freeSlot(player)),
      maxPending: 100_000,
    });
    gate$.subscribe({
      next: player => this.#onPlayer(player),
      complete: () => {
        this.#isComplete = true;
      },
    });
    return this;
  }

  /** A player presents a token. */
  enter(token: string): Promise<ConnectResult> {
    const { port } = this.#server.address() as AddressInfo;
    return tryConnect(`ws://127.0.0.1:${port}/?token=${token}`);
  }

  pass(ms: number): void {
    if (!this.#isOver) this.#time.pass(ms);
  }

  kill(): void {
    this.#isOver = true;
    for (const [token, player] of this.#lobby.inside) {
      if (this.#mine.has(player)) this.#lobby.inside.delete(token);
    }
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  /** SIGTERM: ends within 20 s of its own time. */
  async drain(pass: (ms: number) => void): Promise<void> {
    this.#drain$.next();
    for (let seconds = 0; seconds <= 21 && !this.#isComplete; seconds++) {
      pass(1_000);
      await turns(3);
    }
    if (!this.#isComplete) this.#lobby.violations.push(`${this.name} is not drained in time`);
    this.kill();
  }

  readonly #mine = new Set<PlayerSocket>();

  #onPlayer(player: PlayerSocket): void {
    const { inside, freed, violations } = this.#lobby;
    if (this.#isOver) return;
    if (freed.has(player.token)) violations.push('let in after the slot was freed');
    if (inside.has(player.token)) violations.push('let in twice');
    inside.set(player.token, player);
    this.#mine.add(player);
    player.closed$.subscribe(() => {
      if (!this.#isOver) inside.delete(player.token);
    });
  }

  /** To the service and back, in time that passes only while the process lives. */
  readonly #transport: Transport = request => {
    const { emulator, random, losses, inside, freed, violations } = this.#lobby;
    const lost = (answers: readonly TransportResponse[]) => {
      if (random() < 0.5) return throwError(() => new TransportError('lost', 'lost', request));
      return of(answers[Math.floor(random() * answers.length)]!);
    };
    const send = () => {
      if (random() < losses) return lost([...PAGES, ...REJECTIONS]);
      if (request.url.endsWith('/disconnected')) {
        const { player_token } = JSON.parse(request.body ?? '{}') as { player_token: string };
        freed.add(player_token);
        if (inside.has(player_token)) violations.push('freed while in');
      }
      const isLost = random() < losses;
      return emulator.transport(request).pipe(mergeMap(answer => (isLost ? lost(PAGES) : of(answer))));
    };
    const slowly = () => (random() < 0.5 ? 0 : random() * 6_000);
    const { scheduler } = this.#time;
    return timer(slowly(), scheduler).pipe(
      mergeMap(send),
      materialize(),
      delay(slowly(), scheduler),
      dematerialize(),
    );
  };
}

const answer = (status: number, text: string): TransportResponse => ({
  status,
  headers: new Headers(),
  text,
});

/** What a proxy answers, whether or not the service has acted. */
const PAGES = [200, 400, 403, 404, 410, 502].map(status => answer(status, '<html>no upstream</html>'));

/** What the service answers to a wrong token of ours, or to too many requests, and does not act. */
const REJECTIONS = [401, 403, 429].map(status => answer(status, '{"code":"API_FORBIDDEN","message":""}'));

describe('two gates of one lobby, with slotFiles', () => {
  it('free no slot of a player who is in at either, and all others, whatever is lost, answered by a proxy, killed or cut off', async () => {
    await fc.assert(fc.asyncProperty(fc.noShrink(fc.nat()), operate), { numRuns: 1 });
  });
});

/**
 * Random operations of players, processes and the network; then all players leave, and nothing is
 * lost any more.
 */
async function operate(seed: number): Promise<void> {
  const random = randomNumbers(seed);
  const folder = mkdtempSync(join(tmpdir(), 'slots-'));
  const time = virtualTime();
  const emulator = createEmulator({ scheduler: time.scheduler });
  const { lobby_id, token } = emulator.addLobby({ maxPlayers: 100_000 });
  const lobby: Lobby = {
    emulator,
    token,
    folder,
    random,
    losses: 0.15,
    inside: new Map(),
    freed: new Set(),
    cut: new Set(),
    log: [],
    violations: [],
  };
  const gates = [await new GateProcess(lobby, 'A').start(), await new GateProcess(lobby, 'B').start()];
  const pass = (ms: number) => {
    time.pass(ms);
    for (const gate of gates) gate.pass(ms);
  };
  const restart = async (i: number) => {
    gates[i] = await new GateProcess(lobby, gates[i]!.name).start();
  };
  const pick = <A>(from: readonly A[]): A => from[Math.floor(random() * from.length)]!;
  const tokens: string[] = [];
  let admitted = 0;

  for (let step = 0; step < runs(2_000); step++) {
    const i = Math.floor(random() * 2);
    const chance = random();
    if (chance < 0.3) tokens.push(emulator.reservePlayer(lobby_id));
    if (chance < 0.55 && tokens.length > 0) {
      // Mostly a token of late, at either gate.
      const one = tokens[Math.max(0, tokens.length - 1 - Math.floor(random() ** 3 * 12))]!;
      void gates[i]!.enter(one).then(({ kind }) => kind === 'open' && admitted++);
    } else if (chance < 0.7 && lobby.inside.size > 0) {
      const player = pick([...lobby.inside.values()]);
      if (random() < 0.5) player.close();
      else player.terminate();
    } else if (chance < 0.72) {
      gates[i]!.kill();
      if (random() < 0.5) cutFile(lobby, gates[i]!.name);
      await restart(i);
    } else if (chance < 0.73) {
      await gates[i]!.drain(pass);
      await restart(i);
    } else {
      pass(random() ** 3 * 12_000);
    }
    await turns(4);
    deepStrictEqual(lobby.violations, [], `step ${step}`);
  }
  Object.assign(lobby, { losses: 0 });
  await waitUntil(() => {
    for (const player of [...lobby.inside.values()]) player.close();
    pass(10_000);
    return filesIn(folder).length === 0 && lobby.inside.size === 0;
  });
  deepStrictEqual(lobby.violations, []);
  const counted = tokens.filter(one => emulator.playerState(one) === 'connected');
  deepStrictEqual(
    counted.filter(one => !lobby.cut.has(one)),
    [],
  );
  strictEqual(emulator.playersIn(lobby_id).connected, counted.length);
  for (const gate of gates) gate.kill();
  // In a short run no file may be cut off.
  ok(lobby.cut.size === 0 || lobby.log.some(({ kind }) => kind === 'set_aside'));
  const logged = JSON.stringify(lobby.log);
  deepStrictEqual(
    tokens.filter(one => logged.includes(one)),
    [],
  );
  ok(admitted > runs(2_000) / 20, `${admitted} were admitted`);
  rmSync(folder, { recursive: true });
}

/** The files of tokens that gates have. */
function filesIn(folder: string, gate = ''): readonly string[] {
  return readdirSync(folder)
    .filter(name => name.startsWith(gate) && !name.startsWith('set-aside'))
    .flatMap(name => readdirSync(join(folder, name)).map(file => join(folder, name, file)));
}

/**
 * The power fails, or the disk is full: of the last file that this gate has written there is only
 * the beginning.
 */
function cutFile({ folder, cut }: Lobby, gate: string): void {
  const file = filesIn(folder, gate).at(-1);
  if (file === undefined) return;
  const token = readFileSync(file, 'utf8');
  cut.add(token);
  writeFileSync(file, token.slice(0, token.length / 2));
}
