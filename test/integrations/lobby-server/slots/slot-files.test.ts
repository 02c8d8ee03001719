import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from 'node:assert';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom, lastValueFrom, NEVER, of, Subject, throwError, type Observable } from 'rxjs';
import {
  createClient,
  isInputError,
  TransportError,
  whyNotConnected,
  type TransportResponse,
} from 'lobby-rx';
import { createEmulator } from 'lobby-rx/emulator';
import { slotFiles, type GateLogEntry } from 'lobby-rx/lobby-server';
import { watchFiles } from './watch-files.js';
import { virtualTime } from '../../../virtual-time.js';
import { waitUntil } from '../../../wait-until.js';

describe('slotFiles', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slots-'));
  const time = virtualTime();
  const { scheduler } = time;
  const emulator = createEmulator({ scheduler });
  const lobby = emulator.addLobby({ maxPlayers: 10_000 });
  /** What is answered instead of what the service says to `disconnected`, if anything. */
  let instead: Observable<TransportResponse> | undefined;
  /** What asks to confirm a token is lost. */
  let loses = false;
  const disconnected: string[] = [];
  const client = createClient({
    ...emulator.urls,
    token: lobby.token,
    scheduler,
    transport: request => {
      if (!request.url.endsWith('/disconnected')) {
        return loses
          ? throwError(() => new TransportError('lost', 'lost', REQUEST))
          : emulator.transport(request);
      }
      disconnected.push((JSON.parse(request.body!) as { player_token: string }).player_token);
      return instead ?? emulator.transport(request);
    },
  });
  const log: GateLogEntry[] = [];
  const start = (gate: string) =>
    slotFiles({ client, folder, gate, scheduler, log: entry => void log.push(entry) });
  type Slots = ReturnType<typeof start>;

  beforeEach(() => {
    instead = undefined;
    loses = false;
    disconnected.length = 0;
    log.length = 0;
    connectedBefore = emulator.playersIn(lobby.lobby_id).connected;
  });
  afterEach(() => {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  });
  after(() => rmSync(folder, { recursive: true }));

  const reserve = () => emulator.reservePlayer(lobby.lobby_id);
  const enter = (slots: Slots, player_token: string) =>
    firstValueFrom(slots.client.matchmaker.players.connected({ player_token }));
  const free = (slots: Slots, token: string) => lastValueFrom(slots.freeSlot(token), { defaultValue: 0 });
  /** The files of tokens, by the folder that they are in. */
  const files = (state = '') =>
    readdirSync(folder)
      .filter(name => name.endsWith(state))
      .flatMap(name => readdirSync(join(folder, name)).map(file => join(folder, name, file)));
  let connectedBefore = 0;
  const connectedNow = () => emulator.playersIn(lobby.lobby_id).connected - connectedBefore;
  const kinds = () => log.map(({ kind }) => kind);

  it('gives the gate what the client knows of its service', () => {
    const players = { ...client.matchmaker.players, isServiceKnown: false, unprovedBy: 'Caddy' };
    const known = slotFiles({ client: { matchmaker: { players } }, folder, gate: 'known', scheduler });
    const { isServiceKnown, unprovedBy } = known.client.matchmaker.players;
    deepStrictEqual([isServiceKnown, unprovedBy], [false, 'Caddy']);
  });

  it('says what to change in its options', () => {
    const bad: [object, RegExp][] = [
      [{ client, gate: 'a' }, /folder/],
      [{ client, gate: 'a', folder: '' }, /folder must be the path of a folder/],
      [{ client: {}, folder, gate: 'a' }, /client must be a client made by createClient/],
      [{ client, folder }, /gate must be a name .* that no other process has, the same after each restart/],
      [{ client, folder, gate: 'a.b' }, /gate must be a name of letters, digits, - and _/],
      [{ client, folder, gate: 'a', gates: 2 }, /gates/],
      [{ client, folder, gate: 'a', log: 1 }, /log must be a function/],
    ];
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    bad.push([
      { client, folder: file, gate: 'a' },
      /folder must be the path of a folder; got the path of a file/,
    ]);
    for (const [config, message] of bad)
      throws(
        () => slotFiles(config as Parameters<typeof slotFiles>[0]),
        (error: unknown) => {
          match(String(error), message);
          return isInputError(error);
        },
      );
    rmSync(file);
  });

  it('keeps a token from before it is confirmed until its slot is free, and none that the service refuses, for its own user only', async () => {
    const slots = start('a');
    const player_token = reserve();
    await enter(slots, player_token);
    const [file] = files();
    match(file!, /\/a\.[0-9a-f]+\.in\/[0-9a-f]{64}$/);
    deepStrictEqual(statSync(file!).mode & 0o777, 0o600);
    for (const refused of ['junk', player_token]) await enter(slots, refused).catch(() => undefined);
    deepStrictEqual(files(), [file]);
    await free(slots, player_token);
    deepStrictEqual([files(), connectedNow()], [[], 0]);
  });

  const answers: readonly (readonly [string, () => Observable<TransportResponse>])[] = [
    ['401 of the service', () => of(json(401, { code: 'CLAIMS_ENTITLEMENT_EXPIRED', message: '' }))],
    ['403 of the service', () => of(json(403, { code: 'API_FORBIDDEN', message: '' }))],
    ["a proxy's 403", () => of(page(403))],
    ["a proxy's 404", () => of(page(404))],
    ["a proxy's 200", () => of(page(200))],
    ['302 to a login page', () => throwError(() => redirected())],
    ['502', () => of(page(502))],
    ['a lost answer', () => throwError(() => new TransportError('lost', 'lost', REQUEST))],
  ];
  for (const [what, answer] of answers) {
    it(`forgets nobody whom a killed process has left if ${what} answers the next one: it goes on, and so does the one after it`, async () => {
      const killed = start('a');
      const tokens = [reserve(), reserve()];
      for (const token of tokens) await enter(killed, token);
      instead = answer();
      start('a');
      for (let wait = 0; wait < 20; wait++) time.pass(60_000);
      deepStrictEqual([files('.out').length, kinds()], [2, ['retrying']]);
      ok(disconnected.length >= 2 * 20, `${disconnected.length} calls`);

      start('a');
      instead = undefined;
      time.pass(60_000);
      deepStrictEqual([files(), connectedNow()], [[], 0]);
    });
  }

  it('does not keep a process running that has nothing else to do', async () => {
    // In real time it tries again for ever, so that no other test has its folder and its log.
    const apart = mkdtempSync(join(tmpdir(), 'slots-'));
    const kindsApart: string[] = [];
    const config = { client, folder: apart, gate: 'a' };
    await enter(slotFiles({ ...config, scheduler }), reserve());
    const timers = () => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length;
    const before = timers();
    instead = of(page(404));
    slotFiles({ ...config, log: ({ kind }) => void kindsApart.push(kind) });
    await waitUntil(() => kindsApart.length === 1);
    deepStrictEqual([kindsApart, timers()], [['retrying'], before]);
    rmSync(apart, { recursive: true });
  });

  it('forgets whom the service itself does not count', async () => {
    const killed = start('a');
    const token = reserve();
    await enter(killed, token);
    instead = of(json(400, { code: 'MATCHMAKER_PLAYER_REMOVED', message: '' }));
    start('a');
    time.pass(1);
    deepStrictEqual([files(), disconnected, kinds()], [[], [token], ['freed']]);
  });

  it('frees what 200 players have left 64 at a time', async () => {
    const killed = start('a');
    for (let i = 0; i < 200; i++) await enter(killed, reserve());
    instead = NEVER;
    start('a');
    time.pass(1_000);
    strictEqual(disconnected.length, 64);
  });

  it('lets nobody in with a token that a killed process has left, until its slot is free', async () => {
    const killed = start('a');
    const token = reserve();
    await enter(killed, token);
    const next = start('a');
    await rejects(enter(next, token), (error: unknown) => {
      match(String(error), /the slot is being freed/);
      return whyNotConnected(error).outcome === 'not_sent';
    });
    deepStrictEqual([disconnected, files('.pending')], [[], []]);
  });

  it('leaves a slot to a process that starts with its name, although the service confirms the player after that', async () => {
    const answer$ = new Subject<void>();
    const players = { ...client.matchmaker.players, connected: () => answer$ };
    const first = slotFiles({ client: { matchmaker: { players } }, folder, gate: 'a', scheduler });
    const token = reserve();
    const entering = enter(first, token);
    start('a');
    answer$.next();
    await rejects(entering, /gate must be a name that no other process has/);
    time.pass(26_000);
    deepStrictEqual(disconnected, [token]);
  });

  it('waits as long as a running gate before it frees a slot about which the service has not answered', async () => {
    const killed = start('a');
    const confirmed = reserve();
    await enter(killed, confirmed);
    loses = true;
    const token = reserve();
    await rejects(enter(killed, token), /lost/);
    start('a');
    time.pass(24_999);
    deepStrictEqual(disconnected, [confirmed]);
    time.pass(100);
    deepStrictEqual([disconnected, files()], [[confirmed, token], []]);
  });

  it('sets aside a file that was cut off, and never sends what is in it', async () => {
    const killed = start('a');
    const whole = reserve();
    const cut = reserve();
    const empty = reserve();
    for (const token of [whole, cut, empty]) await enter(killed, token);
    writeFileSync(fileOf(cut), cut.slice(0, 9));
    writeFileSync(fileOf(empty), '');
    for (let restart = 0; restart < 3; restart++) {
      start('a');
      time.pass(1);
    }
    deepStrictEqual(disconnected, [whole]);
    const aside = log.flatMap(entry => (entry.kind === 'set_aside' ? [entry.file] : []));
    deepStrictEqual(aside.sort(), files('set-aside').sort());
    strictEqual(aside.length, 2);

    function fileOf(token: string): string {
      return files('.in').find(file => readFileSync(file, 'utf8') === token)!;
    }
  });

  it('does not leave a slot to a gate whose file is cut off', async () => {
    const a = start('a');
    const b = start('b');
    const token = reserve();
    await enter(a, token);
    writeFileSync(files('.in')[0]!, '');
    loses = true;
    await rejects(enter(b, token), /lost/);
    await free(b, token);
    deepStrictEqual([disconnected, connectedNow()], [[token], 0]);
  });

  it('neither frees nor forgets a slot while another gate may let the player in', async () => {
    const a = start('a');
    const b = start('b');
    const token = reserve();
    await enter(a, token);
    loses = true;
    await rejects(enter(b, token), /lost/);
    await rejects(free(a, token), { name: 'PendingElsewhereError' });
    strictEqual(disconnected.length, 0);
    // Once the other one has given up, either frees it.
    await free(b, token);
    await free(a, token);
    deepStrictEqual([files(), connectedNow()], [[], 0]);
  });

  it('leaves a slot to the other gate at which the player is in', async () => {
    const a = start('a');
    const b = start('b');
    const token = reserve();
    loses = true;
    await rejects(enter(a, token), /lost/);
    loses = false;
    await enter(b, token);
    await free(a, token);
    deepStrictEqual([disconnected.length, connectedNow()], [0, 1]);
    await free(b, token);
    deepStrictEqual([files(), connectedNow()], [[], 0]);
  });

  it('has a token wholly in its file, or not at all: what a kill has interrupted was not sent', async () => {
    const killed = start('a');
    await enter(killed, reserve());
    const [file] = files();
    const unfinished = join(file!, '..', `new-${file!.slice(-64)}`);
    rmSync(file!);
    writeFileSync(unfinished, 'half');
    start('a');
    time.pass(1);
    deepStrictEqual([disconnected, kinds(), readdirSync(folder).length], [[], [], 4]);
  });

  it('refuses everybody at a gate with whose name another process has started, and leaves its slots to that one', async () => {
    const first = start('a');
    const token = reserve();
    await enter(first, token);
    const second = start('a');
    await rejects(enter(first, reserve()), /gate must be a name that no other process has; got "a"/);
    await free(first, token);
    deepStrictEqual([disconnected, kinds()], [[], ['hook_failed']]);
    time.pass(1);
    deepStrictEqual([disconnected, connectedNow()], [[token], 0]);
    await enter(second, reserve());
  });

  it('leaves nothing in the folder but what the gates have now', async () => {
    for (let restart = 0; restart < 5; restart++) {
      const slots = start('a');
      await enter(slots, reserve());
      start('b');
      time.pass(1);
    }
    start('a');
    time.pass(1);
    deepStrictEqual(
      readdirSync(folder)
        .map(name => name.replace(/\..*\./, ' '))
        .sort(),
      ['a', 'b'].flatMap(gate => ['in', 'out', 'pending', 'unresolved'].map(state => `${gate} ${state}`)),
    );
  });

  it('makes its folders again, and the one that has them, if they are removed while it runs', async () => {
    const slots = start('a');
    const token = reserve();
    await enter(slots, token);
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
    await free(slots, token);
    deepStrictEqual([disconnected, files()], [[token], []]);
    rmSync(folder, { recursive: true });
    await enter(slots, reserve());
    strictEqual(files('.in').length, 1);
  });

  it('renames no folder, which fails in the lower layer of an overlay', async () => {
    const killed = start('a');
    const token = reserve();
    await enter(killed, token);
    const restore = watchFiles((change, [path]) => {
      const isFolder = change === 'renameSync' && statSync(path as string).isDirectory();
      if (isFolder) throw Object.assign(new Error('EXDEV'), { code: 'EXDEV' });
    });
    try {
      start('a');
      time.pass(1);
    } finally {
      restore();
    }
    deepStrictEqual([disconnected, files(), connectedNow()], [[token], [], 0]);
  });

  it('tolerates what others have put into the folder', async () => {
    mkdirSync(join(folder, 'lost+found'));
    writeFileSync(join(folder, 'a.txt'), '');
    const slots = start('a');
    const token = reserve();
    await enter(slots, token);
    await free(slots, token);
    deepStrictEqual(disconnected, [token]);
  });
});

const REQUEST = { method: 'POST', url: 'https://matchmaker.example.com/v1/players/disconnected' };

const NO_HEADERS = new Headers();

/** An answer of the service. */
function json(status: number, body: object): TransportResponse {
  return { status, headers: new Headers({ 'rvt-ray-id': 'r' }), text: JSON.stringify(body) };
}

/** What a proxy answers. */
function page(status: number): TransportResponse {
  return { status, headers: NO_HEADERS, text: '<html>no upstream</html>' };
}

function redirected(): TransportError {
  return new TransportError('redirected', 'redirected to /login', REQUEST);
}
