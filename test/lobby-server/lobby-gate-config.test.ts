import { throws } from 'node:assert';
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
      ['client', { client: {} }],
      ['client', { client: { matchmaker: {} } }],
      ['path', { path: 'play' }],
      ['path', { path: 7 }],
      ['tokenParameter', { tokenParameter: '' }],
      ['tokenParameter', { tokenParameter: false }],
      ['firstMessage', { firstMessage: 'yes' }],
      ['firstMessageDeadline', { firstMessageDeadline: 0 }],
      ['maxChecks', { maxChecks: 0 }],
      ['maxHeldBytes', { maxHeldBytes: Infinity }],
      ['heartbeat', { heartbeat: 0 }],
      ['heartbeat', { heartbeat: 2 ** 31 }],
      ['onGone', { onGone: 'disconnect' }],
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
});
