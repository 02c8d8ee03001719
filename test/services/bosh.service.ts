import { deepStrictEqual, doesNotMatch, match, ok, rejects } from 'node:assert';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { firstValueFrom, from, lastValueFrom } from 'rxjs';
import { isUnauthorizedError, watch, watchSignals, type WatchConfig } from 'lobby-rx';
import { boshSession, type BoshSessionConfig, type BoshStanzas } from 'lobby-rx/services';
import { freePort } from '../free-port.js';
import { CuttingProxy } from './cutting-proxy.js';
import { followed, SHORT_WAITS } from './followed.js';
import { eventsOf, eventsToSend, gapsOf, LAST, unexplained } from './log-of-events.js';
import { Server, until } from './server.js';

const BOSH = "xmlns='http://jabber.org/protocol/httpbind'";

/** A server of XMPP, and how it is started. */
interface XmppServer {
  readonly command: string;
  readonly args: (folder: string) => readonly string[];
  /** Writes its configuration and its one account: alice at `accounts`. */
  readonly prepare: (folder: string, settings: Settings) => Promise<unknown>;
}

interface Settings {
  readonly port: number;
  /** How long it keeps a session without a request, in seconds. By default 60 or 30. */
  readonly inactivity: number;
}

/** So long that a busy machine ends no session. */
const AMPLE_S = 60;

/** So short that a test may wait for it. */
const SHORT_S = 3;

const PROSODY: XmppServer = {
  command: 'prosody',
  args: folder => ['--config', join(folder, 'prosody.cfg.lua')],
  prepare: async (folder, settings) => {
    await mkdir(join(folder, 'certs'), { recursive: true });
    await writeFile(join(folder, 'prosody.cfg.lua'), configOfProsody(folder, settings));
    const accounts = join(folder, 'accounts/accounts');
    await mkdir(accounts, { recursive: true });
    await writeFile(join(accounts, 'alice.dat'), 'return { password = "secret" };');
  },
};

const EJABBERD: XmppServer = {
  command: 'env',
  args: folder => [
    `EJABBERD_CONFIG_PATH=${folder}/ejabberd.yml`,
    `EJABBERD_LOG_PATH=${folder}/log`,
    'ERL_LIBS=/usr/lib/x86_64-linux-gnu',
    'erl',
    '-noinput',
    '-mnesia',
    'dir',
    `"${folder}/db"`,
    '-s',
    'ejabberd',
    '-eval',
    'ejabberd_auth:try_register(<<"alice">>, <<"accounts">>, <<"secret">>).',
  ],
  prepare: (folder, settings) => writeFile(join(folder, 'ejabberd.yml'), configOfEjabberd(settings)),
};

for (const [name, xmpp] of Object.entries({ Prosody: PROSODY, ejabberd: EJABBERD }))
  describe(`a watch of XMPP over BOSH, as ${name} has it`, function () {
    this.timeout(120_000);
    let server: Server;
    let port: number;
    let url: string;
    before(async () => {
      port = await freePort();
      url = urlOf(port);
      server = new Server(xmpp.command, xmpp.args, url);
      await xmpp.prepare(await server.prepare('lobby-rx-xmpp-'), { port, inactivity: AMPLE_S });
      await server.start();
    });
    after(() => server.remove());

    /** Follows what is sent to the session that it has begun last. */
    function follow(at: string, config?: Partial<BoshSessionConfig>, ack?: WatchConfig<BoshStanzas>['ack']) {
      const jids: string[] = [];
      const session = boshSession(at, { domain: 'localhost', ...config });
      const signal$ = watchSignals({ ...session, ...SHORT_WAITS, ...(ack && { ack }) });
      const following = followed(signal$, ({ xml, jid }) => {
        if (jid !== undefined) jids.push(jid);
        return [...xml.matchAll(/<message.*?<body[^>]*>([^<]*)/g)].map(([, text]) => text!);
      });
      return { ...following, jids };
    }

    /**
     * Logs in, and returns a function that sends messages. The server holds the last request until
     * the next one comes.
     */
    async function sender() {
      const context = { signal: new AbortController().signal, needsFreshConnection: false, onArrival() {} };
      const { poll } = boshSession(url, { domain: 'localhost' });
      const { session } = await firstValueFrom(from(poll(undefined, context)));
      const [rid, sid] = session.split(' ');
      let sent = 0;
      let last: Promise<unknown> = Promise.resolve();
      return async (jid: string, text: string) => {
        const before = last;
        const message = `<message to='${jid}' type='chat'><body>${text}</body></message>`;
        const body = `<body sid='${sid}' rid='${Number(rid) + sent++}' ${BOSH}>${message}</body>`;
        last = fetch(url, { method: 'POST', headers: { 'content-type': 'text/xml' }, body });
        // Nobody waits for the last one of all.
        last.catch(() => {});
        await before;
      };
    }

    it('sees 300 messages once and in order, over connections that are cut', async () => {
      const proxy = new CuttingProxy(port);
      const { seen, jids, stop } = follow(urlOf(await proxy.start()));
      await until(() => jids.length > 0, 'a session');
      const send = await sender();
      const events = eventsToSend();
      for (const [i, event] of events.entries()) {
        await send(jids.at(-1)!, event);
        // So that there are as many answers, at least, on a busy machine.
        if (i % 10 === 0) await until(() => eventsOf(seen).length > i, 'what was sent');
      }
      await until(() => eventsOf(seen).includes(LAST), 'the last of them');
      stop();
      proxy.stop();
      deepStrictEqual([unexplained(events, seen), gapsOf(seen)], [[], []]);
      ok(proxy.cuts > 2, `${proxy.cuts} cuts`);
    });

    it('says so in a gap if the server has started anew, and logs in again', async () => {
      const { seen, jids, stop } = follow(url);
      await until(() => jids.length === 1, 'a session');
      const sendBefore = await sender();
      await sendBefore(jids[0]!, 'before');
      await until(() => seen.length > 0, 'a message');
      await server.kill();
      await server.start();
      await until(() => jids.length === 2, 'a session of the new server');
      const sendAfter = await sender();
      await sendAfter(jids[1]!, 'after');
      await until(() => seen.length > 2, 'a message of the new server');
      stop();
      deepStrictEqual(seen, [{ event: 'before' }, { gap: 'index_rejected' }, { event: 'after' }]);
    });

    it('logs in with a password, and ends if the server refuses it', async () => {
      const alice = { domain: 'accounts', login: { user: 'alice', password: 'secret' } };
      const { seen, jids, stop } = follow(url, alice);
      await until(() => jids.length === 1, 'a session');
      match(jids[0]!, /^alice@accounts\//);
      const send = await sender();
      await send('alice@accounts', 'to all her devices');
      await until(() => seen.length > 0, 'the message');
      stop();
      deepStrictEqual(seen, [{ event: 'to all her devices' }]);
      const wrong = boshSession(url, { ...alice, login: { user: 'alice', password: 'guessed' } });
      await rejects(lastValueFrom(watch(wrong)), error => {
        ok(isUnauthorizedError(error));
        doesNotMatch(JSON.stringify(error), /guessed/);
        return true;
      });
    });

    it('says so in a gap if an ack took longer than the server keeps the session', async () => {
      await server.kill();
      await xmpp.prepare(server.folder, { port, inactivity: SHORT_S });
      await server.start();
      let goOn = () => {};
      const waiting = new Promise<undefined>(resolve => {
        goOn = () => resolve(undefined);
      });
      const { seen, jids, stop } = follow(url, {}, ({ xml }) => (xml.includes('m0') ? waiting : undefined));
      await until(() => jids.length === 1, 'a session');
      const send = await sender();
      await send(jids[0]!, 'm0');
      await until(() => seen.length > 0, 'a message');
      for (let i = 1; i < 12; i++) await send(jids[0]!, `m${i}`);
      await setTimeout(1_000 * (SHORT_S + 2));
      goOn();
      await until(() => jids.length === 2, 'another session');
      await send(jids[1]!, 'after');
      await until(() => eventsOf(seen).includes('after'), 'its message');
      stop();
      deepStrictEqual(seen, [{ event: 'm0' }, { gap: 'index_rejected' }, { event: 'after' }]);
    });
  });

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}/http-bind`;
}

/** Everybody may log in, and everything is kept in memory. Another domain has accounts. */
function configOfProsody(folder: string, { port, inactivity }: Settings): string {
  return `
    run_as_root = true
    daemonize = false
    pidfile = "${folder}/pid"
    data_path = "${folder}"
    modules_enabled = { "saslauth", "bosh" }
    modules_disabled = { "s2s", "offline" }
    log = { warn = "${folder}/log" }
    c2s_ports = {}
    https_ports = {}
    http_ports = { ${port} }
    http_interfaces = { "127.0.0.1" }
    consider_bosh_secure = true
    storage = "memory"
    bosh_max_inactivity = ${inactivity}
    VirtualHost "localhost"
      authentication = "anonymous"
    VirtualHost "accounts"
      authentication = "internal_plain"
      storage = "internal"`;
}

/** The same for ejabberd. */
function configOfEjabberd({ port, inactivity }: Settings): string {
  const isOpen = { auth_method: ['anonymous'], anonymous_protocol: 'sasl_anon' };
  // JSON is YAML.
  return JSON.stringify({
    hosts: ['localhost', 'accounts'],
    loglevel: 'warning',
    listen: [
      { port, ip: '127.0.0.1', module: 'ejabberd_http', request_handlers: { '/http-bind': 'mod_bosh' } },
    ],
    host_config: { localhost: isOpen, accounts: { auth_method: ['internal'] } },
    modules: { mod_bosh: { max_inactivity: `${inactivity} s` } },
  });
}
