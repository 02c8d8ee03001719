/**
 * A custom element that draws the polls, events and failures of a client.
 *
 * @experimental
 * @module lobby-rx/marbles
 */

export { defineMarbles, type LobbyMarbles } from './lobby-marbles.js';
export type { EventOfKind, NamedWatch } from './timeline.js';
