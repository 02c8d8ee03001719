import type { IncomingMessage } from 'node:http';
import { Observable, of } from 'rxjs';
import { tryOr } from '../../../error/index.js';
import { parsePresented, type PlayerMessage, type PresentedToken } from '../../../player/index.js';
import { aString, callHook } from '../call-hook.js';
import { atDeadline } from '../socket/index.js';
import type { GateSettings } from '../lobby-gate-config.js';
import type { GateLimits } from '../limits/index.js';
import { REFUSALS, type Refusal } from '../report/index.js';
import type { Visitor } from './visitor.js';

/**
 * Emits what the client presents, or why it is refused without a token, and completes. Completes
 * without a value if the client has left.
 */
export type ReadToken = (visitor: Visitor, request: IncomingMessage) => Observable<PresentedToken | Refusal>;

/** How long the first message may take, in ms. */
const FIRST_MESSAGE_MS = 5_000;

/** How many bytes a client may send until its first message is complete. */
const MAX_FIRST_MESSAGE_BYTES = 16_384;

/** How many characters a token may have. It is much more than any token of the service has. */
const MAX_TOKEN_LENGTH = 8_192;

export function createReadToken(settings: GateSettings, { waiting }: Pick<GateLimits, 'waiting'>): ReadToken {
  const { token: source, scheduler } = settings;

  // Without the request, which a waiting client would keep in memory with all its headers.
  const fromFirstMessage = (visitor: Visitor): Observable<PresentedToken | Refusal> => {
    if (!waiting.hasRoomFor(visitor.address)) return of(REFUSALS.busy);
    const connection = visitor.open();
    if (!connection) return of(REFUSALS.gateClosed);
    // Without operators, whose subscribers take memory for each of many thousand waiting clients.
    return new Observable(subscriber => {
      const answer = (presented: PresentedToken | Refusal) => {
        subscriber.next(presented);
        subscriber.complete();
      };
      subscriber.add(waiting.take(visitor.address));
      subscriber.add(atDeadline(FIRST_MESSAGE_MS, () => answer(REFUSALS.noTokenInTime), scheduler));
      return connection.firstMessage(MAX_FIRST_MESSAGE_BYTES, {
        complete: message => answer(checkedMessage(trimmed(textOf(message)))),
        tooLarge: () => answer(REFUSALS.tooLarge),
        left: () => subscriber.complete(),
      });
    });
  };
  return (visitor, request) => {
    if (source === 'message') return fromFirstMessage(visitor);
    // A script never sees the HTTP status of a refusal.
    if (visitor.isOurs) visitor.open();
    if (source === 'query') return of(checked(parsePresented(splitToken(visitor.url).token)));
    const token = callHook('token', () => source(request) ?? '', aString, settings);
    return of(token === undefined ? REFUSALS.hookFailed : checked({ token }));
  };
}

function checked(presented: PresentedToken): PresentedToken | Refusal {
  const { length } = presented.token;
  return length === 0 || length > MAX_TOKEN_LENGTH ? REFUSALS.noToken : presented;
}

/** The characters that line-based tools and C strings put around a token. */
const BLANKS = ' \t\r\n\0';

/** Not by a pattern, which takes long for many blanks. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && BLANKS.includes(text.charAt(start))) start++;
  while (end > start && BLANKS.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** No token has a blank in it. Then the message is something else, and the service is not asked. */
function checkedMessage(message: string): PresentedToken | Refusal {
  const presented = parsePresented(message);
  return /[\s\0]/.test(presented.token) ? REFUSALS.noToken : checked(presented);
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** Some engines send binary messages only. */
function textOf(message: PlayerMessage): string {
  return typeof message === 'string' ? message : tryOr(() => UTF_8.decode(message), '');
}

const PARAMETER = 'token';

/**
 * The token in the query of a URL, empty if it has no token or more than one, and the URL without
 * it. The rest of the URL is unchanged.
 */
export function splitToken(pathAndQuery: string): { readonly token: string; readonly url: string } {
  const at = pathAndQuery.indexOf('?');
  if (at < 0) return { token: '', url: pathAndQuery };
  const query = pathAndQuery.slice(at);
  const tokens: string[] = [];
  const rest: string[] = [];
  for (const parameter of query.slice(1).split('&')) {
    // With a `?`, because `URLSearchParams` removes one.
    const token = new URLSearchParams(`?${parameter}`).get(PARAMETER);
    if (token === null) rest.push(parameter);
    else tokens.push(token);
  }
  const path = pathAndQuery.slice(0, at);
  return {
    token: tokens.length === 1 ? tokens[0]! : '',
    url: rest.length > 0 ? `${path}?${rest.join('&')}` : path,
  };
}
