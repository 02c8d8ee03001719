import type { PolledService, PollSignal } from '../../stream/index.js';
import { hasStatus, sender, type ServiceRequestConfig } from './service-request.js';

/** What one connect has brought. */
export interface BayeuxMessages {
  readonly messages: readonly BayeuxMessage[];
  /** The session, and where it is. Keep it secret, like a token. */
  readonly session: string;
}

/** A message of a channel. */
export interface BayeuxMessage {
  readonly channel: string;
  readonly data: unknown;
}

/** The options of {@link bayeuxChannel}. */
export interface BayeuxChannelConfig extends ServiceRequestConfig {
  /**
   * Whether the server has the acknowledgement extension, such as CometD. Then nothing is lost with
   * an answer. Default false.
   */
  readonly acknowledges?: boolean;
}

/** A message of the protocol. */
interface MetaMessage extends BayeuxMessage {
  readonly clientId?: string;
  readonly successful?: boolean;
  readonly error?: string;
  readonly advice?: { readonly reconnect?: string };
  readonly ext?: { readonly ack?: unknown };
}

/** Where a session is. CometD finds it by a cookie, which only browsers keep by themselves. */
interface Session {
  readonly clientId: string;
  readonly ack: unknown;
  readonly cookie: string;
}

/** The server did not do what was asked. */
class Refused extends Error {
  override readonly name = 'Refused';
  readonly isGone: boolean;

  constructor({ channel, error, advice }: MetaMessage) {
    super(`${channel}: ${error}`);
    // Faye answers 401 for a session that it does not know, CometD 402.
    this.isGone = advice?.reconnect === 'handshake' || /^40[12]:/.test(error ?? '');
  }
}

/**
 * A channel of Bayeux, or several, by long polling. Starts from now, with a session of its own. If
 * the session is gone, there is a gap (`index_rejected`), and another one begins. The messages of
 * an answer that is lost do not come again. So there is a gap (`unanswered`) after each poll that
 * fails, unless the server `acknowledges`.
 *
 * @example
 * watch(bayeuxChannel('http://127.0.0.1:8000/faye', '/game')).subscribe(({ messages }) =>
 *   show(messages),
 * );
 */
export function bayeuxChannel(
  url: string,
  channel: string | readonly string[],
  { acknowledges = false, ...config }: BayeuxChannelConfig = {},
): PolledService<BayeuxMessages> {
  const send = sender(config);
  let sent = 0;
  const ask = async (message: object, { clientId, cookie }: Session, signal: PollSignal) => {
    // CometD gives a lost answer again only to a request with an `id`.
    const body = [{ id: String(++sent), ...(clientId && { clientId }), ...message }];
    const response = await send({ url, body, signal, headers: cookie ? { cookie } : {} });
    const messages = (await response.json()) as readonly MetaMessage[];
    const refused = messages.find(({ successful }) => successful === false);
    if (refused) throw new Refused(refused);
    return { messages, cookie: cookiesOf(response.headers.get('set-cookie')) || cookie };
  };
  const open = async (signal: PollSignal) => {
    const handshake = {
      channel: '/meta/handshake',
      version: '1.0',
      supportedConnectionTypes: ['long-polling'],
      ...(acknowledges && { ext: { ack: true } }),
    };
    const { messages, cookie } = await ask(handshake, NO_SESSION, signal);
    const { clientId = '', ext } = messages.find(isOf(handshake.channel)) ?? {};
    if (acknowledges && ext?.ack !== true) throw new Error('the server has no acknowledgement extension');
    return { clientId, ack: 0, cookie };
  };
  return {
    poll: async (index, { signal }) => {
      const session = index === undefined ? await open(signal) : (JSON.parse(index) as Session);
      const next =
        index === undefined
          ? { channel: '/meta/subscribe', subscription: channel }
          : {
              channel: '/meta/connect',
              connectionType: 'long-polling',
              ...(acknowledges && { ext: { ack: session.ack } }),
            };
      const { messages, cookie } = await ask(next, session, signal);
      const { ext } = messages.find(isOf('/meta/connect')) ?? {};
      return {
        messages: messages.filter(message => !message.channel.startsWith('/meta/')),
        session: JSON.stringify({ ...session, cookie, ack: ext?.ack ?? session.ack }),
      };
    },
    read: ({ messages, session }) => ({ index: session, isEmpty: messages.length === 0 }),
    redelivers: acknowledges,
    isGone: error => (error instanceof Refused && error.isGone) || hasStatus(error, 401, 402),
  };
}

const NO_SESSION: Session = { clientId: '', ack: 0, cookie: '' };

function isOf(channel: string): (message: MetaMessage) => boolean {
  return message => message.channel === channel;
}

/** The cookies of an answer, without their attributes, as a request sends them. */
function cookiesOf(header: string | null): string {
  const cookies = (header ?? '').split(/, *(?=[^ ;,=]+=)/);
  return cookies.map(cookie => cookie.split(';')[0]).join('; ');
}
