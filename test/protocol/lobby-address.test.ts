import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert';
import { isInputError, lobbyAddress, type Port } from 'lobby-rx';
import { lobbyJoin, profile } from '../payload.js';

const port = (change: Partial<Port>): Port => ({
  hostname: 'fra.lobby.example',
  is_tls: false,
  port: 8080,
  ...change,
});

describe('lobbyAddress', () => {
  it('is the address of the named port, or of the only port', () => {
    deepStrictEqual(lobbyAddress({ ports: { game: port({}) } }), {
      hostname: 'fra.lobby.example',
      port: 8080,
      range: undefined,
      isTls: false,
      url: 'ws://fra.lobby.example:8080',
    });
    strictEqual(lobbyAddress(lobbyJoin, 'default').url, 'wss://fra.lobby.example:443');
  });

  it('has the range of a port that has one, and its first port', () => {
    deepStrictEqual(lobbyAddress(lobbyJoin, 'voice'), {
      hostname: 'fra.lobby.example',
      port: 26000,
      range: { min: 26000, max: 26010 },
      isTls: true,
      url: 'wss://fra.lobby.example:26000',
    });
  });

  it('throws if the port is ambiguous or missing', () => {
    throws(
      () => lobbyAddress(lobbyJoin),
      /name must be one of the lobby's ports: default, voice; got undefined/,
    );
    throws(() => lobbyAddress(lobbyJoin, 'toString'), /default, voice/);
    throws(() => lobbyAddress({ ports: {} }), /it has none/);
    throws(() => lobbyAddress({ ports: { game: port({ port: null }) } }), /a port with a number or a range/);
  });

  it('puts an IPv6 address into brackets', () => {
    for (const hostname of ['2001:db8::1', '[2001:db8::1]', '::1']) {
      const { url } = lobbyAddress({ ports: { game: port({ hostname, port: 7777 }) } });
      strictEqual(new URL(url).hostname, hostname.replace(/^([^[].*)$/, '[$1]'));
      strictEqual(new URL(url).port, '7777');
    }
  });

  it('lists no more ports than fit in a message', () => {
    const ports = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`port ${i}`, port({})]));
    throws(
      () => lobbyAddress({ ports }, 'none'),
      (error: unknown) => {
        ok(isInputError(error));
        strictEqual(
          error.expected,
          `one of the lobby's ports: ${Object.keys(ports).join(', ').slice(0, 200)}`,
        );
        return true;
      },
    );
  });

  it('throws if it is given something else than a lobby join', () => {
    const others: readonly unknown[] = [
      undefined,
      null,
      'ws://a',
      7,
      [],
      {},
      { identity: profile },
      { ports: null },
      { ports: [] },
      { ports: { game: null } },
      { ports: { game: {} } },
      { ports: { game: { ...port({}), port: '80' } } },
    ];
    for (const join of others) {
      throws(
        () => lobbyAddress(join as typeof lobbyJoin, 'game'),
        (error: unknown) =>
          isInputError(error) &&
          error.message.startsWith('join must be a lobby join, as feed.lobbyJoin$ emits it; got '),
        JSON.stringify(join),
      );
    }
  });
});
