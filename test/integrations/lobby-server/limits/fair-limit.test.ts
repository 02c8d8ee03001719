import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import type { IncomingMessage } from 'node:http';
import { createGateLimits, plainAddress } from '../../../../src/integrations/lobby-server/limits/index.js';
import { waitUntil } from '../../../wait-until.js';
import { openGate, type OpenGate } from '../gate.js';
import { tryConnect, type ConnectResult } from '../connect-player.js';

describe('lobbyGate and how addresses share its places', () => {
  let gate: OpenGate;
  const addressOf = ({ headers }: IncomingMessage) => headers['x-from'] as string;
  const from = (address: string, token?: string) =>
    tryConnect(`ws://127.0.0.1:${gate.port}/${token === undefined ? '' : `?token=${token}`}`, {
      headers: { 'x-from': address },
    });
  const kinds = async (results: readonly Promise<ConnectResult>[]) =>
    (await Promise.all(results)).map(result => (result.kind === 'refused' ? result.body : result.kind));
  const times = <A>(count: number, make: (i: number) => A) =>
    Array.from({ length: count }, (_, i) => make(i));
  afterEach(() => gate.close());

  it('leaves room for players while one address opens silent sockets', async () => {
    gate = await openGate({ token: 'message', maxPending: 16, addressOf });
    const silent = await kinds(times(66, () => from('attacker')));
    // Half of all limits.
    strictEqual(silent.filter(kind => kind === 'open').length, 32);
    // Some of them have one address, too: a quarter of what was free.
    const players = [...times(20, i => from(`player ${i}`)), ...times(3, () => from('household'))];
    deepStrictEqual(
      (await kinds(players)).filter(kind => kind !== 'open'),
      [],
    );
  });

  it('leaves room for players while one address has junk tokens in flight', async () => {
    gate = await openGate({ maxPending: 64, holdRequests: true, addressOf });
    const junk = times(66, i => from('attacker', `junk-${i}`));
    await waitUntil(
      () => gate.log.filter(({ kind }) => kind === 'refused').length === 34 && gate.heldRequests() === 32,
    );
    const players = times(20, i => from(`player ${i}`, gate.reserveToken()));
    await waitUntil(() => gate.heldRequests() === 52);
    gate.sendHeldRequests();
    ok((await kinds(players)).every(kind => kind === 'open'));
    deepStrictEqual(new Set(await kinds(junk)), new Set(['busy', 'invalid_token']));
  });

  it('leaves room for players while one address has unresolved tokens', async () => {
    gate = await openGate({ maxPending: 2, addressOf });
    const stopFaults = gate.emulator.fault({ kind: 'html', status: 502 }, { times: Infinity });
    const junk = [];
    for (let i = 0; i < 6; i++) junk.push(...(await kinds([from('attacker', `junk-${i}`)])));
    deepStrictEqual(junk, [...Array<string>(4).fill('outcome_unknown'), 'busy', 'busy']);
    stopFaults();
    deepStrictEqual(await kinds([from('player', gate.reserveToken())]), ['open']);
  });

  it('keeps nobody out of a gate that is not half full, although all come from one address', async () => {
    gate = await openGate({ token: 'message', maxPending: 16, addressOf });
    ok((await kinds(times(32, () => from('ingress')))).every(kind => kind === 'open'));
  });

  it('gives a place back when the first message or the answer has come, and when the client has left', async () => {
    gate = await openGate({ token: 'message', maxPending: 1, addressOf });
    for (let i = 0; i < 6; i++) {
      const result = await from('player');
      ok(result.kind === 'open');
      if (i % 2 === 0) result.ws.send(gate.reserveToken());
      else result.ws.close();
      if (i % 2 === 0) await waitUntil(() => gate.admitted.length === i / 2 + 1);
      else await result.closed;
    }
  });

  const networks: readonly (readonly [string, string, boolean])[] = [
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
    ['2001:db8:1:2::1', '2001:0DB8:0001:0002:0:0:0:9', true],
    ['::1', '0:0:0:0::2', true],
    ['fe80::1%eth0', 'fe80::2%eth0', true],
    ['2001:db8:1:2::1', '2001:db8:1:300::1', false],
    ['2001:db8::1', '2001:db8:0:100::1', false],
    ['::ffff:192.0.2.1', '192.0.2.1', true],
    ['::ffff:c000:201', '192.0.2.1', true],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
    ['192.0.2.1', '192.0.2.2', false],
    ['some text', 'some other text', false],
  ];
  for (const [one, other, isSame] of networks) {
    it(`takes ${one} and ${other} for ${isSame ? 'one address' : 'two addresses'}`, async () => {
      gate = await openGate({ token: 'message', maxPending: 2, addressOf });
      strictEqual((await kinds(times(4, () => from(one)))).join(), 'open,open,open,open');
      deepStrictEqual(await kinds([from(other)]), [isSame ? 'busy' : 'open']);
    });
  }
});

describe('the places of a gate, beyond half of them', () => {
  /** FairLimit of which this address has taken so many. */
  const takenBy = (address: string, count: number, max = 4) => {
    const { waiting } = createGateLimits({ maxPending: max / 4 });
    return { waiting, free: Array.from({ length: count }, () => waiting.take(address)) };
  };
  const isOfOneNetwork = (address: string, other: string) => !takenBy(address, 2).waiting.hasRoomFor(other);

  it('count all addresses of a /64 as one, however they are written', () => {
    for (const [address, other] of [
      ['2001:db8:1:2::1', '2001:0db8:0001:0002:aaaa:bbbb:cccc:dddd'],
      ['2001:db8::1', '2001:DB8:0:0:1::'],
      ['2001:db8:1:2::192.0.2.1', '2001:db8:1:2:3:4:5:6'],
      ['1:2:3:4:5:6:192.168.100.200', '1:2:3:4::'],
      ['::1:2:3:192.0.2.1', '0:0:0:1::'],
      ['fe80::1%eth0', 'fe80::2%eth1'],
      ['::1', '0:0:0:0:ffff::'],
      ['::ffff:192.0.2.1', '192.0.2.1'],
      ['::FFFF:10.20.30.40', '10.20.30.40'],
      ['not an address', 'not an address'],
    ] as const) {
      strictEqual(isOfOneNetwork(address, other), true, `${address} and ${other}`);
    }
  });

  it('count others one by one', () => {
    for (const [address, other] of [
      ['2001:db8:1:2::1', '2001:db8:1:3::1'],
      ['2001:db8:1:2::', '2001:db8:12::'],
      ['1:2:3:4:5:6:7:8', '1:2:3:5:5:6:7:8'],
      ['::1', '1::'],
      ['1::2:3:4:5:6', '1::2'],
      ['::ffff:192.0.2.1', '::ffff:192.0.2.2'],
      ['::ffff:192.0.2.1', '::1:192.0.2.1'],
      ['192.0.2.1', '192.0.2.2'],
    ] as const) {
      strictEqual(isOfOneNetwork(address, other), false, `${address} and ${other}`);
    }
  });

  it('are a quarter of what is free for each, and at least two', () => {
    const others = takenBy('192.0.2.1', 20, 40).waiting;
    for (let i = 0; i < 4; i++) {
      strictEqual(others.hasRoomFor('192.0.2.2'), true);
      others.take('192.0.2.2');
    }
    // Four of the sixteen that are free.
    strictEqual(others.hasRoomFor('192.0.2.2'), false);
    strictEqual(others.hasRoomFor('192.0.2.3'), true);
    const { waiting } = takenBy('192.0.2.1', 3, 4);
    strictEqual(waiting.hasRoomFor('192.0.2.2'), true);
    waiting.take('192.0.2.2');
    strictEqual(waiting.hasRoomFor('192.0.2.3'), false);
  });

  it('are twice as much for a /56 of IPv6, and four times for a /48, so that neither takes all', () => {
    const max = 1_024;
    const fill = (addressOf: (i: number) => string) => {
      const { waiting } = createGateLimits({ maxPending: max / 4 });
      for (let i = 0; i < max; i++) {
        if (waiting.hasRoomFor(addressOf(i))) waiting.take(addressOf(i));
      }
      return waiting;
    };
    for (const addressOf of [
      (i: number) => `2001:db8:1:${(i % 256).toString(16)}::${i.toString(16)}`,
      (i: number) => `2001:db8:1:${i.toString(16)}::1`,
    ]) {
      const waiting = fill(addressOf);
      strictEqual(waiting.used(), max / 2);
      deepStrictEqual(
        [addressOf(0), '2001:db8:2::1', '192.0.2.1'].map(address => waiting.hasRoomFor(address)),
        [false, true, true],
      );
    }
    // Beyond half, from two networks in turn: a /64 of the second one has its own share.
    const waiting = fill(i => `2001:db8:${1 + (i % 2)}:${i.toString(16)}::1`);
    strictEqual(waiting.used(), 683);
  });

  it('are given back once', () => {
    const { waiting, free } = takenBy('192.0.2.1', 3);
    strictEqual(waiting.hasRoomFor('192.0.2.1'), false);
    for (let i = 0; i < 3; i++) free[0]!();
    strictEqual(waiting.used(), 2);
    strictEqual(waiting.hasRoomFor('192.0.2.1'), false);
    for (const give of free) give();
    strictEqual(waiting.used(), 0);
  });
});

describe('an address', () => {
  it('is plain: without a port, and IPv4 as IPv4, as a proxy may append it', () => {
    for (const [written, plain] of [
      ['203.0.113.7', '203.0.113.7'],
      ['203.0.113.7:54321', '203.0.113.7'],
      [' 203.0.113.7:1 ', '203.0.113.7'],
      ['::ffff:203.0.113.7', '203.0.113.7'],
      ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
      ['[2001:db8::1]:443', '2001:db8::1'],
      ['[2001:db8::1]', '2001:db8::1'],
      ['2001:db8::1', '2001:db8::1'],
      ['unknown', 'unknown'],
      ['', ''],
    ] as const)
      strictEqual(plainAddress(written), plain);
  });

  it('with a port is that without: one address takes no more places by it', () => {
    const { waiting } = createGateLimits({ maxPending: 1 });
    for (let port = 1; port <= 2; port++) waiting.take(`203.0.113.7:${port}`);
    strictEqual(waiting.hasRoomFor('203.0.113.7:3'), false);
    strictEqual(waiting.hasRoomFor('203.0.113.8:3'), true);
  });
});
