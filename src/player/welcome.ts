import { fieldsOf, milliseconds, tryOr } from '../error/index.js';

/**
 * The WebSocket subprotocol between `lobbyConnection` and a gate. With it, the first message of the
 * gate on each connection is a {@link Welcome}, and a text message without a character is a
 * heartbeat, which the gate sends back. Neither reaches the code of the lobby.
 */
export const PLAYER_PROTOCOL = 'lobby-rx.player';

/** What a player who has not been welcomed presents to a gate. */
export interface PresentedToken {
  readonly token: string;
  /**
   * A return ticket of the client's own making, with which it comes back if the connection drops
   * before the {@link Welcome} arrives.
   */
  readonly ownTicket?: string;
}

interface SecureRandom {
  getRandomValues(array: Uint32Array): Uint32Array;
}

/** The token with a new ticket, or alone on a platform without safe random numbers. */
export function withOwnTicket(token: string): string {
  const { crypto } = globalThis as { readonly crypto?: SecureRandom };
  return crypto ? `${token} ${crypto.getRandomValues(new Uint32Array(4)).join('-')}` : token;
}

/** The opposite of {@link withOwnTicket}. A text without a ticket is a token. */
export function parsePresented(text: string): PresentedToken {
  const [, token, ownTicket] = /^(\S+) ([\w-]{22,64})$/.exec(text) ?? [];
  return token === undefined ? { token: text } : { token, ownTicket: ownTicket! };
}

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
