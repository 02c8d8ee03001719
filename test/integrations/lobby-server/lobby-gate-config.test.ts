import { deepStrictEqual, throws } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInputError } from 'lobby-rx';
import { lobbyGate } from 'lobby-rx/lobby-server';
import { openGate, type OpenGate } from './gate.js';

describe('the config of lobbyGate', () => {
  let gate: OpenGate;
  afterEach(() => gate.close());

  it('throws an InputError that names the option, if the config is invalid', async () => {
    gate = await openGate();
    const { server, client } = gate;
    const wrong: readonly (readonly [string, object])[] = [
      ['server', { server: undefined }],
      // What express() and fastify() return.
      ['pass what `createServer(app)` returned, or `app.server`', { server: () => undefined }],
      ['pass what `createServer(app)` returned, or `app.server`', { server: { server } }],
      ['client', { client: {} }],
      ['client', { client: { matchmaker: {} } }],
      ['path', { path: 'play' }],
      ['path', { path: 7 }],
      ["token must be 'message', 'query' or a function", { token: 'subprotocol' }],
      ['maxPending', { maxPending: 0 }],
      ['maxBufferedAmount', { maxBufferedAmount: Infinity }],
      ['pingInterval', { pingInterval: 0 }],
      ['pingInterval', { pingInterval: 2 ** 31 }],
      ['freeSlot', { freeSlot: 'disconnect' }],
      ['drain$', { drain$: 7 }],
      ['grace', { grace: -1 }],
      ['drainTimeout', { drainTimeout: Infinity }],
      ['token', { token: 'header' }],
      ['token', { token: false }],
      // ws would take it for no limit.
      ['maxPayload', { maxPayload: 2 ** 32 }],
      ['scheduler', { scheduler: {} }],
      ['perMessageDeflate', { perMessageDeflate: 'yes' }],
      ['maxcheks', { maxcheks: 1 }],
    ];
    for (const [name, config] of wrong) {
      throws(
        () => lobbyGate({ server, client, ...config }),
        error => isInputError(error) && error.message.includes(name),
        name,
      );
    }
  });

  it('has a row in docs/gate.md for each option', async () => {
    gate = await openGate();
    const docs = readFileSync(join(import.meta.dirname, '../../../docs/gate.md'), 'utf8');
    const section = docs.split(/^## /m).find(text => text.startsWith('Options\n'))!;
    const rows = [...section.matchAll(/^\| `([\w$]+)` +\|/gm)].map(([, name]) => name!);
    const { server, client } = gate;
    const config = { server, client, none: 1 };
    deepStrictEqual(rows.sort(), [...optionsIn(() => lobbyGate(config))].sort());
  });
});

/** The known options, from the error about an unknown one. */
function optionsIn(create: () => unknown): readonly string[] {
  try {
    create();
  } catch (error) {
    const [, names] = /Options: (.*)$/.exec((error as Error).message) ?? [];
    if (names !== undefined) return names.split(', ');
  }
  throw new Error('not refused');
}
