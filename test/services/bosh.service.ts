import { deepStrictEqual, ok } from 'node:assert';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { recovery, watchSignals, type IndexingConfig } from 'lobby-rx';
import { freePort } from '../free-port.js';
import { CuttingProxy } from './cutting-proxy.js';
import { followed, SHORT_WAITS } from './followed.js';
import { eventsOf, eventsToSend, gapsOf, LAST, unexplained } from './log-of-events.js';
import { Server, until } from './server.js';

/**
 * The messages of one answer, and what the next request is to say: the session and the id of the
 * request.
 */
interface Messages {
  readonly texts: readonly string[];
  readonly index: string;
}

/** A session, and the id of the last request in it. */
interface Session {
  readonly sid: string;
  readonly jid: string;
  rid: number;
}

/** The server has ended the session. */
class Terminated extends Error {}

const BOSH = "xmlns='http://jabber.org/protocol/httpbind'";
const XBOSH = "xmlns:xmpp='urn:xmpp:xbosh'";

describe('a watch of XMPP over BOSH, as Prosody has it', function () {
  this.timeout(120_000);
  let server: Server;
  let port: number;
  let url: string;
  before(async () => {
    port = await freePort();
    url = urlOf(port);
    server = new Server('prosody', folder => ['--config', join(folder, 'prosody.cfg.lua')], url);
    const folder = await server.prepare('lobby-rx-prosody-');
    await mkdir(join(folder, 'certs'));
    await writeFile(join(folder, 'prosody.cfg.lua'), configOf(folder, port));
    await server.start();
  });
  after(() => server.remove());

  /** A watch of what is sent to whoever has logged in last. */
  function follow(at: string) {
    const jids: string[] = [];
    const poll = async (index: string | undefined, { signal }: { readonly signal: AbortSignal }) => {
      if (index === undefined) {
        const { sid, rid, jid } = await logIn(at, signal);
        jids.push(jid);
        return { texts: [], index: `${sid}|${rid + 1}` } satisfies Messages;
      }
      const [sid, rid] = index.split('|') as [string, string];
      const answer = await post(at, `sid='${sid}' rid='${rid}'`, '', signal);
      const texts = [...answer.matchAll(/<message.*?<body[^>]*>([^<]*)/g)].map(([, text]) => text!);
      return { texts, index: `${sid}|${Number(rid) + 1}` } satisfies Messages;
    };
    const config: IndexingConfig<Messages> = {
      indexOf: 'index',
      isEmpty: ({ texts }) => texts.length === 0,
      recovery: error =>
        error instanceof Terminated ? { kind: 'retry', dropsIndex: true } : recovery(error),
      ...SHORT_WAITS,
    };
    return { ...followed(watchSignals(poll, config), ({ texts }) => texts), jids };
  }

  /**
   * Logs in, and returns a function that sends messages. The server holds the last request until
   * the next one comes.
   */
  async function sender() {
    const session = await logIn(url);
    let last: Promise<unknown> = Promise.resolve();
    return async (jid: string, text: string) => {
      session.rid++;
      const before = last;
      const message = `<message to='${jid}' type='chat'><body>${text}</body></message>`;
      last = post(url, `sid='${session.sid}' rid='${session.rid}'`, message);
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
    await (
      await sender()
    )(jids[0]!, 'before');
    await until(() => seen.length > 0, 'a message');
    await server.kill();
    await server.start();
    await until(() => jids.length === 2, 'a session of the new server');
    await (
      await sender()
    )(jids[1]!, 'after');
    await until(() => seen.length > 2, 'a message of the new server');
    stop();
    deepStrictEqual(seen, [{ event: 'before' }, { gap: 'index_rejected' }, { event: 'after' }]);
  });
});

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}/http-bind`;
}

/** Everybody may log in, and everything is kept in memory. */
function configOf(folder: string, port: number): string {
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
    VirtualHost "localhost"
      authentication = "anonymous"`;
}

async function post(url: string, attributes: string, content = '', signal: AbortSignal | null = null) {
  const body = `<body ${attributes} ${BOSH}>${content}</body>`;
  const headers = { 'content-type': 'text/xml' };
  const response = await fetch(url, { method: 'POST', headers, body, signal });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const text = await response.text();
  if (/^<body[^>]*type='terminate'/.test(text)) throw new Terminated();
  return text;
}

/** A session in which the server holds one request. */
async function logIn(url: string, signal: AbortSignal | null = null): Promise<Session> {
  let rid = 1 + Math.floor(Math.random() * 1e9);
  const version = `ver='1.6' xmpp:version='1.0' ${XBOSH} xml:lang='en' content='text/xml; charset=utf-8'`;
  const opened = await post(url, `rid='${rid}' to='localhost' wait='3' hold='1' ${version}`, '', signal);
  const sid = /sid='([^']+)/.exec(opened)![1]!;
  const next = (attributes: string, content: string) => {
    rid++;
    return post(url, `rid='${rid}' sid='${sid}' ${attributes}`, content, signal);
  };
  await next('', "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='ANONYMOUS'/>");
  await next(`to='localhost' xmpp:restart='true' ${XBOSH}`, '');
  const bound = await next('', "<iq type='set' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>");
  return { sid, rid, jid: /<jid>([^<]+)/.exec(bound)![1]! };
}
