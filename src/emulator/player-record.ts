/** The states of a player token (interface document, 3), and `removed` for a slot that was given back. */
export type PlayerState = 'reserved' | 'connected' | 'expired' | 'removed';

/** A player token that was issued. That it has expired is read off the clock: see `playerState`. */
export interface PlayerRecord {
  readonly lobby_id: string;
  readonly reservedAt: number;
  state: 'reserved' | 'connected' | 'removed';
}
