import { fieldsOf, milliseconds, tryOr } from '../error/index.js';

/**
 * The WebSocket subprotocol between `lobbyConnection` and a gate. With it, the first message of the
 * gate on each connection is a {@link Welcome}, and a text message without a character is a
 * heartbeat, which the gate sends back. Neither reaches the code of the lobby.
 */
export const PLAYER_PROTOCOL = 'lobby-rx.player';

/** A heartbeat, and its answer. */
export const HEARTBEAT = '';

/** What the gate says to a player who is in. */
export interface Welcome {
  /** The return ticket. Absent if the gate lets no one come back. */
  readonly ticket?: string;
  /** How long a player whose connection has dropped may come back, in ms. */
  readonly grace: number;
}

export function welcomeText(ticket: string | undefined, grace: number): string {
  const welcome: Welcome = ticket === undefined ? { grace } : { ticket, grace };
  return JSON.stringify(welcome);
}

/** The welcome in a message. `undefined` if it is none, so that its sender is no gate. */
export function parseWelcome(message: unknown): Welcome | undefined {
  const { ticket, grace } = fieldsOf(
    typeof message === 'string' ? tryOr<unknown>(() => JSON.parse(message), 0) : 0,
  );
  if (!milliseconds.is(grace)) return undefined;
  if (ticket === undefined) return { grace };
  return typeof ticket === 'string' ? { ticket, grace } : undefined;
}
