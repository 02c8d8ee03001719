import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import type { LiveEvent } from 'lobby-rx';
import { printable } from '../../../src/error/index.js';
import { eventRow, jsonLine, memberRow } from '../../../src/tools/cli/terminal/index.js';
import { handle, lobbyJoin, notification, profile } from '../../payload.js';
import { waitUntil } from '../../wait-until.js';
import { lobbyRx } from './lobby-rx.js';
import { useService } from './service.js';

const HOSTILE = 'a\u001b[2Jb\rc\nd\u009be\u202ef\u2028g';

describe('What is printed to a terminal', () => {
  it('contains no control characters', () => {
    const ts = '2026-01-01T00:00:00Z';
    const identity = { ...profile, display_name: HOSTILE };
    const texts = [
      printable(HOSTILE),
      memberRow({ identity: { ...handle, display_name: HOSTILE, identity_id: HOSTILE } }),
      eventRow({ kind: 'identity_update', ts, identity }),
      eventRow({ kind: 'unknown', name: HOSTILE, ts: HOSTILE, payload: HOSTILE }),
      eventRow({
        kind: 'unknown',
        name: 'x',
        ts,
        payload: 1,
        notification: { ...notification, title: HOSTILE },
      }),
      eventRow({ kind: 'malformed', raw: {}, errors: [{ path: HOSTILE, expected: HOSTILE, got: HOSTILE }] }),
      jsonLine({ [HOSTILE]: HOSTILE }),
    ];
    for (const text of texts) ok(!/[\p{Cc}\u2028\u202a-\u202e]/u.test(text), JSON.stringify(text));
  });

  it('is the same JSON when it is read again', () => {
    deepStrictEqual(JSON.parse(jsonLine({ [HOSTILE]: HOSTILE })), { [HOSTILE]: HOSTILE });
  });

  it('has no half of an emoji, at which jq ends, and keeps a text that only looks like one', () => {
    const name = 'Ada \ud83d';
    deepStrictEqual(JSON.parse(jsonLine({ name, [name]: '\\ud83d \u{1f600}' })), {
      name: 'Ada \ufffd',
      'Ada \ufffd': '\\ud83d \u{1f600}',
    });
    ok(!jsonLine({ name }).includes('\\ud83d'));
  });

  it('is cut where it is nested too deeply to print as a whole', () => {
    const depth = 20_000;
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);
    // Beside a `toJSON`, no version of Node prints it.
    const line = jsonLine([deep, new Date(0)]);
    match(line, /^\[(\{"a":)+"\(nested too deeply to print\)"\}+,/);
    ok(JSON.parse(line));
  });

  it('has a line of bounded length for each event, whatever it contains', () => {
    const ts = new Date(2026, 0, 1, 12, 34, 56).toISOString();
    const row = eventRow({ kind: 'unknown', name: 'chat', ts, payload: { text: 'x'.repeat(1_000) } });
    match(row, /^12:34:56 {2}chat {19}\{"text":"x+…$/);
    ok(row.length < 200);
    const ports = { game: { hostname: 'a.example', port: 7, is_tls: true } };
    const join: LiveEvent = { kind: 'matchmaker_lobby_join', ts, ...lobbyJoin, ports };
    ok(!eventRow(join).includes(lobbyJoin.player.token));
    match(eventRow(join), / wss:\/\/a\.example:7$/);
    match(eventRow({ ...join, ports: {} }), new RegExp(lobbyJoin.lobby.lobby_id));
    strictEqual(eventRow({ kind: 'malformed', raw: 7, errors: [] }).trimEnd(), '-         malformed');
  });
});

describe('lobby-rx events on a terminal', () => {
  const service = useService();
  const run = async (args: readonly string[], env: Readonly<Record<string, string>>, text: string) => {
    const { emulator, world, hasPendingWatch } = service;
    const program = lobbyRx(['events', ...args], { env: { ...service.env(), ...env }, terminal: 'fake' });
    await waitUntil(hasPendingWatch);
    emulator.updateProfile(world.identityId, { display_name: 'Ada', account_number: 7 });
    await program.prints(text);
    program.process.kill('SIGTERM');
    return (await program.exited).out;
  };

  it('prints a line for people, in colour', async () => {
    const out = await run([], { TERM: 'xterm' }, 'Ada#7');
    match(out, /^\d\d:\d\d:\d\d {2}\u001b\[36midentity_update *\u001b\[39m +Ada#7\n$/);
  });

  it('uses no colour if NO_COLOR is set', async () => {
    const out = await run([], { TERM: 'xterm', NO_COLOR: '1' }, 'Ada#7');
    match(out, /^\d\d:\d\d:\d\d {2}identity_update +Ada#7\n$/);
  });

  it('prints JSON with --json', async () => {
    const out = await run(['--json'], { TERM: 'xterm' }, '"Ada"');
    strictEqual((JSON.parse(out) as LiveEvent).kind, 'identity_update');
  });
});
