import * as t from 'io-ts';
import type { LobbyMessage } from 'lobby-rx/lobby-server';

const step = t.union([t.literal(-1), t.literal(0), t.literal(1)]);
const Said = t.partial({ say: t.string, move: t.type({ dx: step, dy: step }) });

/** What a player may send, as JSON: `{"say":"hello"}`, or a move of one field, `{"move":{"dx":1,"dy":0}}`. */
export type Said = t.TypeOf<typeof Said>;

/** What a message says; undefined where that is nothing that the game knows, or more than it allows. */
export function said(message: LobbyMessage): Said | undefined {
  if (typeof message !== 'string') return undefined;
  try {
    const what: unknown = JSON.parse(message);
    return Said.is(what) ? what : undefined;
  } catch {
    return undefined;
  }
}
