import { eventsWatch, getMembers } from '../../endpoint/index.js';
import { fieldsOf, retryAfter, tryOr } from '../../error/index.js';
import type { EmulatedResponse } from '../emulator/index.js';
import { withoutTokens } from './without-tokens.js';
import type { SeenEvent, SeenRequest } from './world-view.js';

/** What a client learns from an answer. */
type Read = Pick<
  SeenRequest,
  'events' | 'next_index' | 'ray_id' | 'retry_after' | 'is_unreadable' | 'settled'
>;

/** Reads an answer that has arrived whole, as a client does. */
export function readAnswer(
  { is_poll, path }: Pick<SeenRequest, 'is_poll' | 'path'>,
  sent: string | undefined,
  { status, headers, body }: EmulatedResponse,
  now: number,
): Read {
  const events = eventsIn(withoutTokens(body));
  const settled = settledAboutPlayer(path, sent, status, body);
  if (status === 200) {
    const next_index = indexIn(body);
    const isUnreadable = is_poll && !isReadable(path, body);
    return {
      events,
      ...(next_index !== undefined && { next_index }),
      ...(isUnreadable && { is_unreadable: true }),
      ...(settled !== undefined && { settled }),
    };
  }
  const get = (name: string) => headers[name] ?? null;
  const ray_id = get('rvt-ray-id');
  const retry_after = retryAfter({ get }, undefined, now);
  return {
    events,
    ...(ray_id !== null && { ray_id, ...(settled !== undefined && { settled }) }),
    ...(retry_after !== undefined && { retry_after }),
  };
}

/**
 * What an answer to a gate says of a player. `undefined` if it is about none, or leaves it open. A
 * drop is not known to the service. It counts a player who is away as one who is in.
 */
function settledAboutPlayer(
  path: string,
  sent: string | undefined,
  status: number,
  body: string,
): string | undefined {
  const [, call] = /\/players\/((?:dis)?connected)$/.exec(path) ?? [];
  if (call === undefined || (status !== 200 && status !== 400)) return undefined;
  const { player_token } = tryOr(() => fieldsOf(JSON.parse(sent ?? '')), {});
  const player = `player …${String(player_token).slice(-6)}`;
  if (status === 200) return `${player} is ${call === 'connected' ? 'in' : 'out, and their slot is free'}`;
  const code = String(tryOr(() => fieldsOf(JSON.parse(body)).code, undefined));
  // Each gate asks about such a token before it sends one of a player.
  if (code === 'TOKEN_ERROR') return 'a token that nobody has issued was refused';
  return `${player} was refused: ${code.replace('MATCHMAKER_PLAYER_', '').toLowerCase()}`;
}

/** The index of an answer. It is at the end, so the payload of an event cannot imitate it. */
function indexIn(body: string): string | undefined {
  const watch = body.slice(body.lastIndexOf('"watch":'));
  return /^"watch":\{"index":"([^"\\]*)"\}\}$/.exec(watch)?.[1];
}

/** Whether a client can decode the answer to a poll. */
function isReadable(path: string, body: string): boolean {
  const { response } = path.includes('/groups/') ? getMembers : eventsWatch;
  try {
    return response.decode(JSON.parse(body))._tag === 'Right';
  } catch {
    return false;
  }
}

/** How many letters of an event are shown. */
const SHOWN_LETTERS = 80;

interface RawEvent {
  readonly kind?: object;
  readonly ts?: string;
}

/** The events in an answer, in a few words each. */
export function eventsIn(body: string | undefined): SeenEvent[] {
  if (!body?.includes('"events"')) return [];
  try {
    const { events = [] } = JSON.parse(body) as { events?: readonly RawEvent[] };
    return events.map(({ kind = {}, ts = '' }) => {
      const [name = 'unknown', payload] = Object.entries(kind)[0] ?? [];
      return {
        kind: name,
        at: Date.parse(ts),
        text: textOf(Object(payload) as Payload).slice(0, SHOWN_LETTERS),
      };
    });
  } catch {
    // A fault has cut the answer off.
    return [];
  }
}

interface Payload {
  readonly identity?: { readonly display_name?: unknown; readonly presence?: { readonly status?: unknown } };
  readonly lobby?: { readonly region?: { readonly display_name?: unknown } };
  readonly text?: unknown;
}

/** The part of an event that people look for: a presence, the region of a lobby, or a text. */
function textOf({ identity, lobby, text, ...rest }: Payload): string {
  if (identity)
    return `${inWords(identity.display_name)} is ${inWords(identity.presence?.status ?? 'offline')}`;
  if (lobby?.region) return inWords(lobby.region.display_name);
  return text === undefined ? JSON.stringify(rest) : `“${inWords(text)}”`;
}

/** The value as text. It may be of any type, because programs choose the payload. */
const inWords = (u: unknown) => (typeof u === 'string' ? u : JSON.stringify(u));
