import { UnauthorizedError } from '../../error/index.js';
import type { PolledService, PollSignal } from '../../stream/index.js';
import { toBase64 } from './base64.js';
import { hasStatus, originOf, sender, type ServiceRequestConfig } from './service-request.js';

/** What one request has brought. */
export interface BoshStanzas {
  /** The stanzas in XML, one after the other. Empty if nothing came. */
  readonly xml: string;
  /** The address that the server has given a new session. Only in its first answer. */
  readonly jid?: string;
  /** The session, and the id of its next request. Keep it secret, like a token. */
  readonly session: string;
}

/** The options of {@link boshSession}. */
export interface BoshSessionConfig extends ServiceRequestConfig {
  /** The domain of the server, for example `localhost`. */
  readonly domain: string;
  /** Default: an anonymous login. */
  readonly login?: { readonly user: string; readonly password: string };
  /** The stanzas to send after each login, for example to join a room. Default: `<presence/>`. */
  readonly greeting?: string;
}

/** The server has ended the session. */
class Terminated extends Error {
  override readonly name = 'Terminated';
}

/** How long the server holds a request, in seconds. */
const HOLD_S = 50;

/** A server may answer a step of the login with nothing first. */
const MAX_EMPTY = 5;

const BOSH = "xmlns='http://jabber.org/protocol/httpbind'";
const XBOSH = "xmlns:xmpp='urn:xmpp:xbosh'";
const SASL = "xmlns='urn:ietf:params:xml:ns:xmpp-sasl'";

/**
 * A session of XMPP over BOSH. Logs in, and receives stanzas. Each session begins with an answer
 * that has its `jid`. If the server ends the session, there is a gap (`index_rejected`), and
 * another one begins. A server does so after a restart, and if no request has come for a while (30
 * to 60 s by default), for example during an `ack`. A refused login ends the watch with an
 * `UnauthorizedError`.
 *
 * @example
 * const session = boshSession('http://127.0.0.1:5280/http-bind', { domain: 'localhost' });
 * watch(session).subscribe(({ xml }) => show(xml));
 */
export function boshSession(
  url: string,
  { domain, login, greeting = '<presence/>', ...config }: BoshSessionConfig,
): PolledService<BoshStanzas> {
  const send = sender(config);
  const post = async (attributes: string, content: string, signal: PollSignal) => {
    const body = `<body ${attributes} ${BOSH}>${content}</body>`;
    const answer = parsed(await (await send({ url, body, signal })).text());
    if (answer.attribute('type') === 'terminate') throw new Terminated(answer.attribute('condition'));
    return answer;
  };
  const open = async (signal: PollSignal) => {
    let rid = 1 + Math.floor(Math.random() * 1e9);
    const to = `to='${escaped(domain)}'`;
    const version = `ver='1.6' xmpp:version='1.0' ${XBOSH} xml:lang='en' content='text/xml; charset=utf-8'`;
    const opened = await post(`rid='${rid}' ${to} wait='${HOLD_S}' hold='1' ${version}`, '', signal);
    const sid = opened.attribute('sid');
    /** Sends a step of the login. Resolves to the answer to it. */
    const step = async (attributes: string, content: string, expected: RegExp) => {
      let answer = '';
      for (let i = 0; i < MAX_EMPTY && !expected.test(answer); i++) {
        rid++;
        const isFirst = i === 0;
        const request = `rid='${rid}' sid='${quotable(sid)}' ${isFirst ? attributes : ''}`;
        answer += (await post(request, isFirst ? content : '', signal)).content;
      }
      if (!expected.test(answer)) throw new Error('the server does not answer to the login');
      return answer;
    };
    const credentials = login && toBase64(`\0${login.user}\0${login.password}`);
    const mechanism = login ? 'PLAIN' : 'ANONYMOUS';
    const auth = `<auth ${SASL} mechanism='${mechanism}'>${credentials ?? ''}</auth>`;
    const result = await step('', auth, /<(success|failure)\b/);
    if (result.includes('<temporary-auth-failure')) throw new Error('the server cannot log in now');
    if (result.includes('<failure')) throw new UnauthorizedError({ method: 'POST', url: originOf(url) });
    await step(`${to} xmpp:restart='true' ${XBOSH}`, '', /<bind\b/);
    const bind = `<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>`;
    const xml = await step('', bind + greeting, /<jid>[^<]+/);
    return { xml, jid: /<jid>([^<]+)/.exec(xml)?.[1] ?? '', session: `${rid + 1} ${sid}` };
  };
  return {
    poll: async (index, { signal }) => {
      if (index === undefined) return open(signal);
      const [rid = '', sid = ''] = index.split(' ');
      const { content } = await post(`rid='${rid}' sid='${quotable(sid)}'`, '', signal);
      return { xml: content, session: `${Number(rid) + 1} ${sid}` };
    },
    read: ({ xml, session }) => ({ index: session, isEmpty: xml === '' }),
    isGone: error => error instanceof Terminated || hasStatus(error, 404),
  };
}

/** The `<body>` of an answer: its attributes, and what is in it. */
function parsed(text: string) {
  const found = /<body\b((?:"[^"]*"|'[^']*'|[^"'>])*?)(?:\/>|>([^]*)<\/body>)/.exec(text);
  if (!found) throw new Error('an answer that is not of BOSH');
  const [, attributes = '', content = ''] = found;
  return {
    content,
    attribute: (name: string) =>
      new RegExp(`\\s${name}=(?:'([^']*)'|"([^"]*)")`).exec(attributes)?.slice(1).join('') ?? '',
  };
}

/** A text as an attribute between single quotes has it. */
function escaped(text: string): string {
  return quotable(text.replace(/&/g, '&amp;').replace(/</g, '&lt;'));
}

/** The value of an attribute, as it stood between double quotes, for single ones. */
function quotable(value: string): string {
  return value.replace(/'/g, '&apos;');
}
