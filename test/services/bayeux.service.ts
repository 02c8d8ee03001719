import { deepStrictEqual, ok } from 'node:assert';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { firstValueFrom, from } from 'rxjs';
import { watchSignals, type WatchConfig } from 'lobby-rx';
import { bayeuxChannel, type BayeuxChannelConfig, type BayeuxMessages } from 'lobby-rx/services';
import { freePort } from '../free-port.js';
import { CuttingProxy } from './cutting-proxy.js';
import { followed, SHORT_WAITS } from './followed.js';
import { eventsOf, eventsToSend, gapsOf, LAST, unexplained } from './log-of-events.js';
import { Server, until } from './server.js';

const CHANNEL = '/game';

/** What the two servers differ in. */
const SERVERS = {
  Faye: { config: {}, gapsOfCuts: ['unanswered'] },
  CometD: { config: { acknowledges: true }, gapsOfCuts: [] },
} as const;

for (const [name, { config, gapsOfCuts }] of Object.entries(SERVERS))
  describe(`a watch of Bayeux, as ${name} has it`, function () {
    this.timeout(120_000);
    const kind = name.toLowerCase();
    let server: Server;
    let port: number;
    let url: string;
    before(async () => {
      port = await freePort();
      url = `http://127.0.0.1:${port}/${kind}`;
      const program = join(import.meta.dirname, 'npm/bayeux.js');
      server = new Server(process.execPath, () => [program, String(port), kind], url);
      await server.prepare('lobby-rx-bayeux-');
      await server.start();
    });
    after(() => server.remove());

    /** Follows the channel. `sessions` has the ids that the server has given. */
    function follow(at: string, ack?: WatchConfig<BayeuxMessages>['ack']) {
      const sessions = new Set<string>();
      const channel = bayeuxChannel(at, CHANNEL, config);
      const signal$ = watchSignals({
        ...channel,
        ...SHORT_WAITS,
        ack: (answer, checkpoint, gap) => {
          sessions.add(clientIdOf(answer.session));
          return ack?.(answer, checkpoint, gap);
        },
      });
      const following = followed(signal$, ({ messages }) => messages.map(({ data }) => String(data)));
      return { ...following, sessions };
    }

    it('sees 300 messages once and in order', async () => {
      const { seen, sessions, stop } = follow(url);
      await until(() => sessions.size > 0, 'a session');
      const events = eventsToSend();
      await publish(url, events, config);
      await until(() => eventsOf(seen).includes(LAST), 'the last of them');
      stop();
      deepStrictEqual([unexplained(events, seen), gapsOf(seen)], [[], []]);
    });

    it(`is cut, and ${gapsOfCuts.length > 0 ? 'says so in a gap' : 'loses nothing'}`, async () => {
      const proxy = new CuttingProxy(port);
      const proxied = `http://127.0.0.1:${await proxy.start()}/${kind}`;
      const { seen, sessions, stop } = follow(proxied);
      await until(() => sessions.size > 0, 'a session');
      const events = eventsToSend();
      for (let i = 0; i < 290; i += 10) {
        const before = seen.length + proxy.cuts;
        await publish(url, events.slice(i, i + 10), config);
        // So that there are as many answers, at least, on a busy machine.
        await until(() => seen.length + proxy.cuts > before, 'an answer');
      }
      await publish(url, events.slice(290, -1), config);
      proxy.stopCutting();
      await publish(url, [LAST], config);
      await until(() => eventsOf(seen).includes(LAST), 'the last of them');
      stop();
      proxy.stop();
      deepStrictEqual(unexplained(events, seen), []);
      deepStrictEqual([...new Set(gapsOf(seen))], gapsOfCuts);
      ok(proxy.cuts > 2, `${proxy.cuts} cuts`);
    });

    it('says so in a gap if the server has started anew', async () => {
      const { seen, sessions, stop } = follow(url);
      await until(() => sessions.size === 1, 'a session');
      await publish(url, ['before'], config);
      await until(() => seen.length > 0, 'a message');
      await server.kill();
      await server.start();
      await until(() => sessions.size === 2, 'a session of the new server');
      await publish(url, ['after'], config);
      await until(() => eventsOf(seen).length > 1, 'a message of the new server');
      stop();
      deepStrictEqual(eventsOf(seen), ['before', 'after']);
      deepStrictEqual(gapsOf(seen).length, 1, gapsOf(seen).join());
    });

    it('says so in a gap if an ack took longer than the server keeps the session', async () => {
      let goOn = () => {};
      const waiting = new Promise<undefined>(resolve => {
        goOn = () => resolve(undefined);
      });
      const { seen, sessions, stop } = follow(url, ({ messages }) =>
        messages.some(({ data }) => data === 'm0') ? waiting : undefined,
      );
      await until(() => sessions.size === 1, 'a session');
      await publish(url, ['m0'], config);
      await until(() => seen.length > 0, 'a message');
      await publish(url, ['m1', 'm2'], config);
      // CometD keeps a session for 2 s, as configured, Faye for twice its timeout of 3 s.
      await setTimeout(8_000);
      goOn();
      await until(() => sessions.size === 2, 'another session');
      await publish(url, ['after'], config);
      await until(() => eventsOf(seen).includes('after'), 'its message');
      stop();
      deepStrictEqual(seen, [{ event: 'm0' }, { gap: 'index_rejected' }, { event: 'after' }]);
    });
  });

function clientIdOf(session: string): string {
  return (JSON.parse(session) as { readonly clientId: string }).clientId;
}

/** Publishes events one after the other, in a session that the preset opens. */
async function publish(url: string, events: readonly string[], config: BayeuxChannelConfig): Promise<void> {
  const context = { signal: new AbortController().signal, needsFreshConnection: false, onArrival() {} };
  const { poll } = bayeuxChannel(url, '/none', config);
  const { session } = await firstValueFrom(from(poll(undefined, context)));
  const { clientId, cookie } = JSON.parse(session) as { readonly clientId: string; readonly cookie: string };
  const headers = { 'content-type': 'application/json', cookie };
  for (const data of events) {
    const body = JSON.stringify([{ channel: CHANNEL, clientId, data }]);
    await fetch(url, { method: 'POST', headers, body });
  }
}
