import type { SeenEvent } from './world-view.js';

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
