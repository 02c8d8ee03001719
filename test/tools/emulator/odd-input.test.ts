import { deepStrictEqual, ok } from 'node:assert';
import fc from 'fast-check';
import { isInputError } from 'lobby-rx';
import { createControl, createEmulator, listen, seedWorld, type EmulatorServer } from 'lobby-rx/emulator';
import { runs } from '../../runs.js';

/** Lists in lists, so many levels deep. */
const deep = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    '\0',
    '__proto__',
    [],
    {},
    [[]],
    [null],
    { length: -1 },
    deep(3_000),
  ),
  fc.constantFrom(0, -0, -1, 0.5, 1e308, -1e308, 8.7e15, Number.MAX_SAFE_INTEGER, Number.MIN_VALUE),
  fc.string({ maxLength: 8 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** A copy with another value at one place, which these numbers lead to, or without it. */
function changed(value: unknown, path: readonly number[], other: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined || typeof value !== 'object' || value === null) return other;
  const keys = Object.keys(value);
  if (keys.length === 0) return other;
  const key = keys[step % keys.length]!;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string, unknown>;
  copy[key] = changed((value as Record<string, unknown>)[key], rest, other);
  return copy;
}

describe('an emulator, over HTTP', () => {
  const emulator = createEmulator();
  const world = seedWorld(emulator);
  const saved = emulator.save();
  const { error } = console;
  let server: EmulatorServer;
  let current = emulator;
  let failures = 0;
  before(async () => {
    console.error = () => failures++;
    const control = createControl(emulator, world);
    server = await listen({ handle: request => current.handle(request) }, { control });
  });
  after(async () => {
    console.error = error;
    await server.close();
  });
  const statusOf = async (path: string, token: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(server.url + path, { ...init, headers });
    await answer.arrayBuffer();
    return answer.status;
  };

  it('answers whatever world it has, or refuses to have it', async () => {
    let accepted = 0;
    const path = fc.array(fc.nat(1_000), { minLength: 1, maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(path, odd, async (where, value) => {
        try {
          current = createEmulator({ saved: changed(saved, where, value) as typeof saved });
        } catch (refused) {
          ok(isInputError(refused), String(refused));
          return;
        }
        accepted++;
        const before = failures;
        const statuses = [
          await statusOf(`/group/v1/groups/${world.groupId}/members?count=3`, world.identityToken),
          await statusOf('/identity/v1/events/live', world.identityToken),
          await statusOf('/matchmaker/v1/players/connected', world.lobbyToken, {
            method: 'POST',
            body: JSON.stringify({ player_token: world.playerToken }),
          }),
        ];
        // Each failure is one line, and one answer.
        deepStrictEqual(statuses.filter(status => status === 500).length, failures - before);
      }),
      { numRuns: runs(5_000) },
    );
    ok(accepted > runs(5_000) / 10, `${accepted} accepted`);
    current = emulator;
  });

  it('carries out any command, or says what is wrong with it', async () => {
    const names = createControl(emulator, world).commands.map(({ name }) => name);
    ok(names.includes('token expire'));
    const fields = fc.constantFrom('who', 'name', 'text', 'kind', 'status', 'payload', 'after', 'times');
    const body = fc.oneof(fc.dictionary(fields, odd, { maxKeys: 4 }), odd);
    const { secret } = server.control!;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), body, async (name, sent) => {
        const command = { method: 'POST', body: JSON.stringify(sent) };
        const status = await statusOf(`/_emulator/${name.replaceAll(' ', '/')}`, secret, command);
        ok([200, 400, 404].includes(status), `${status}`);
      }),
      { numRuns: runs(5_000) },
    );
    const members = `/group/v1/groups/${world.groupId}/members`;
    await statusOf('/_emulator/fault', secret, { method: 'POST', body: '{"kind":"off"}' });
    ok([200, 401, 403, 404].includes(await statusOf(members, world.identityToken)));
  });
});
