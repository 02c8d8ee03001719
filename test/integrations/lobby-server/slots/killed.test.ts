import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defer, firstValueFrom, lastValueFrom, mergeMap, NEVER, of, throwError, timer } from 'rxjs';
import { createClient, TransportError, type Transport } from 'lobby-rx';
import { createEmulator } from 'lobby-rx/emulator';
import { slotFiles, type GateLogEntry, type SlotFiles } from 'lobby-rx/lobby-server';
import { virtualTime } from '../../../virtual-time.js';
import { watchFiles } from './watch-files.js';

/** How long the service works on a `connected` that a killed process has sent, in ms. */
const DELAYS = [0, 3_000, 60_000];

/** A lobby, whose service may take long to confirm a player, and its folder. */
class Lobby {
  readonly folder = mkdtempSync(join(tmpdir(), 'killed-'));
  readonly log: GateLogEntry[] = [];
  readonly tokens: string[] = [];
  readonly #time = virtualTime();
  readonly #emulator = createEmulator({ scheduler: this.#time.scheduler });
  readonly #lobby = this.#emulator.addLobby({ maxPlayers: 100 });
  isKilled = false;

  constructor(readonly delay: number) {}

  reserve(): string {
    const token = this.#emulator.reservePlayer(this.#lobby.lobby_id);
    this.tokens.push(token);
    return token;
  }

  /** A process that starts. If it may be killed, its requests get no answer after that. */
  start(mayBeKilled: boolean): SlotFiles {
    const client = createClient({
      ...this.#emulator.urls,
      token: this.#lobby.token,
      scheduler: this.#time.scheduler,
      transport: request => this.#send(request, mayBeKilled),
    });
    const { folder } = this;
    const { scheduler } = this.#time;
    return slotFiles({ client, folder, gate: 'a', scheduler, log: entry => void this.log.push(entry) });
  }

  pass(ms: number): void {
    this.#time.pass(ms);
  }

  get counted(): readonly string[] {
    return this.tokens.filter(token => this.#emulator.playerState(token) === 'connected');
  }

  get files(): readonly string[] {
    return readdirSync(this.folder).flatMap(name => readdirSync(join(this.folder, name)));
  }

  readonly #send = (request: Parameters<Transport>[0], mayBeKilled: boolean): ReturnType<Transport> => {
    const { player_token } = JSON.parse(request.body!) as { player_token: string };
    if (request.url.endsWith('/disconnected')) {
      const isCounted = this.#emulator.playerState(player_token) === 'connected';
      const refusal = { status: 400, headers: RAY, text: '{"code":"MATCHMAKER_PLAYER_NOT_CONNECTED"}' };
      const answer$ = isCounted ? this.#emulator.transport(request) : of(refusal);
      return mayBeKilled && this.isKilled ? NEVER : answer$;
    }
    // The service goes on although the process that asks has been killed.
    const late$ = timer(this.delay, this.#time.scheduler).pipe(
      mergeMap(() => this.#emulator.transport(request)),
    );
    if (this.delay > 0) late$.subscribe();
    const lost$ = throwError(() => new TransportError('lost', 'lost', request));
    return this.delay > 0 ? lost$ : defer(() => this.#emulator.transport(request));
  };
}

const RAY = new Headers({ 'rvt-ray-id': 'ray' });

/** Players come, and leave or stay. Their process may be killed at any change of its files. */
async function run(lobby: Lobby): Promise<void> {
  const slots = lobby.start(true);
  const enter = (player_token: string) =>
    firstValueFrom(slots.client.matchmaker.players.connected({ player_token })).catch(ignoreLost);
  const leave = (token: string) =>
    lastValueFrom(slots.freeSlot(token), { defaultValue: 0 }).catch(ignoreLost);
  const [first, second] = [lobby.reserve(), lobby.reserve()];
  await enter(first);
  await enter('nobody-issued-it');
  await leave(first);
  await enter(second);
}

function ignoreLost(error: unknown): void {
  if (error instanceof Killed) throw error;
}

class Killed extends Error {}

describe('slotFiles of a process that is killed', () => {
  for (const delay of DELAYS) {
    for (const isMade of [false, true]) {
      const when = isMade ? 'after' : 'before';
      it(`forget nobody, ${when} each change of files, if the service takes ${delay} ms longer`, async () => {
        let kills = 0;
        for (let changes = 1; ; changes++) {
          const lobby = new Lobby(delay);
          if (!(await isKilledAt(lobby, changes, isMade))) break;
          kills++;
          lobby.start(false);
          // Until the next start, and then for as long as a late answer may take.
          for (let seconds = 0; seconds < 300; seconds++) lobby.pass(1_000);
          deepStrictEqual([lobby.counted, lobby.files], [[], []], `killed at ${changes}`);
          strictEqual(lobby.log.filter(({ kind }) => kind === 'set_aside').length, 0);
          rmSync(lobby.folder, { recursive: true });
        }
        ok(kills >= 15, `${kills} changes`);
      });
    }
  }
});

/** Whether the process has made so many changes of files, and has been killed there. */
async function isKilledAt(lobby: Lobby, changes: number, isMade: boolean): Promise<boolean> {
  let made = 0;
  const count = () => {
    made++;
    if (made >= changes) lobby.isKilled = true;
    if (lobby.isKilled) throw new Killed();
  };
  const refuse = () => {
    if (lobby.isKilled) throw new Killed();
  };
  const restore = watchFiles(isMade ? refuse : count, isMade ? count : undefined);
  try {
    await run(lobby);
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  } finally {
    restore();
  }
  return lobby.isKilled;
}
