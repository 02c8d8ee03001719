import { deepStrictEqual, ok } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import { watchSignals } from 'lobby-rx';
import { syncthingEvents } from 'lobby-rx/services';
import { freePort } from '../free-port.js';
import { Server, until } from './server.js';

const KEY = 'a-key-of-a-test';

interface Event {
  readonly id: number;
  readonly data: { readonly options: { readonly maxSendKbps: number } };
}

describe('a watch of the events of Syncthing', function () {
  this.timeout(120_000);
  const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
  let server: Server;
  let base: string;
  before(async () => {
    base = `http://127.0.0.1:${await freePort()}`;
    server = new Server(
      'syncthing',
      folder => [
        'serve',
        '--no-browser',
        '--no-restart',
        '--no-default-folder',
        '--no-upgrade',
        `--home=${folder}`,
        `--gui-address=${base}`,
        `--gui-apikey=${KEY}`,
      ],
      `${base}/rest/system/ping`,
      headers,
    );
    const folder = await server.prepare('lobby-rx-syncthing-');
    execFileSync('syncthing', ['generate', `--home=${folder}`, '--no-default-folder'], { stdio: 'ignore' });
    await server.start();
    // Nothing of it leaves this machine.
    await change({
      globalAnnounceEnabled: false,
      localAnnounceEnabled: false,
      relaysEnabled: false,
      natEnabled: false,
    });
  });
  after(() => server.remove());

  const change = (options: object) =>
    fetch(`${base}/rest/config/options`, { method: 'PATCH', headers, body: JSON.stringify(options) });
  const read = async <A>(path: string, signal: AbortSignal | null = null) => {
    const response = await fetch(`${base}/rest/${path}`, { headers, signal });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return (await response.json()) as A;
  };

  const limitsOf = (events: readonly Event[]) => events.map(({ data }) => data.options.maxSendKbps);

  /**
   * What it says that its events are. On a busy machine it saves a setting twice, or two at once:
   * then two events are equal.
   */
  const sent = async () => {
    const events = await read<readonly Event[]>('events?events=ConfigSaved&since=0&timeout=1');
    return limitsOf(events).filter(limit => limit > 0);
  };

  it('sees 500 events once and in order, and those after a restart, with a gap', async () => {
    const seen: number[] = [];
    const gaps: string[] = [];
    const states: string[] = [];
    const following = watchSignals({
      ...syncthingEvents(base, { headers, types: ['ConfigSaved'] }),
      backoff: { initial: 100, max: 500 },
    }).subscribe(signal => {
      if (signal.kind === 'answer') seen.push(...limitsOf(signal.answer.events as readonly Event[]));
      if (signal.kind === 'gap') gaps.push(signal.gap.reason);
      if (signal.kind === 'status') states.push(signal.status.state);
    });
    await until(() => states.includes('live'), 'live');
    for (let i = 1; i <= 500; i++) await change({ maxSendKbps: i });
    const areAllSeen = async () => seen.includes(500) && isDeepStrictEqual(await sent(), seen);
    await until(areAllSeen, 'each of them once, in order');
    const before = seen.length;
    ok(before >= 500, `${before} events`);
    deepStrictEqual(gaps, []);
    await server.kill();
    await server.start();
    await until(() => gaps.length > 0, 'the gap');
    await change({ maxSendKbps: 1_000 });
    await until(() => seen.includes(1_000), 'what comes after the restart');
    const after = new Set(seen.slice(before));
    // It may have saved the last setting once more.
    after.delete(500);
    deepStrictEqual([[...after], gaps], [[1_000], ['another_log']]);
    ok(states.includes('retrying'));
    following.unsubscribe();
  });

  it('says so in a gap if more than its 1,000 events came while an ack ran', async () => {
    let goOn = () => {};
    const waiting = new Promise<undefined>(resolve => {
      goOn = () => resolve(undefined);
    });
    const seen: (number | string)[] = [];
    const states: string[] = [];
    const following = watchSignals({
      ...syncthingEvents(base, { headers, types: ['ConfigSaved'] }),
      ack: ({ events }) => (events.length > 0 ? waiting : undefined),
    }).subscribe(signal => {
      if (signal.kind === 'answer') seen.push(...limitsOf(signal.answer.events as readonly Event[]));
      if (signal.kind === 'gap') seen.push(signal.gap.reason);
      if (signal.kind === 'status') states.push(signal.status.state);
    });
    await until(() => states.includes('live'), 'live');
    await change({ maxSendKbps: 1 });
    await until(() => seen.length > 0, 'the first event');
    for (let i = 2; i <= 1_200; i++) await change({ maxSendKbps: i });
    goOn();
    const kept = () => seen.slice(seen.indexOf('forgotten') + 1);
    const areAllSeen = async () => isDeepStrictEqual((await sent()).slice(-900), kept().slice(-900));
    await until(async () => seen.includes(1_200) && (await areAllSeen()), 'all that it has kept');
    following.unsubscribe();
    deepStrictEqual(
      seen.filter(each => typeof each === 'string'),
      ['forgotten'],
    );
    ok(kept().length >= 1_000, `${kept().length} events`);
  });
});
