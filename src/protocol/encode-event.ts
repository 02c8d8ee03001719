import type { LiveEvent } from './live-event.js';

/** A live event as it stands on the wire: the way back of {@link decodeEvent}. */
export function encodeEvent(event: LiveEvent): unknown {
  if (event.kind === 'malformed') return event.raw;
  const { ts, notification } = event;
  return { kind: kindOf(event), ts, ...(notification && { notification }) };
}

function kindOf(event: Exclude<LiveEvent, { kind: 'malformed' }>): Record<string, unknown> {
  switch (event.kind) {
    case 'identity_update':
      return { identity_update: { identity: event.identity } };
    case 'matchmaker_lobby_join':
      return { matchmaker_lobby_join: { lobby: event.lobby, player: event.player, ports: event.ports } };
    case 'unknown':
      return { [event.name]: event.payload };
  }
}
