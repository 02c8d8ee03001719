/**
 * A custom element that draws the polls, events and failures of a client.
 *
 * @module lobby-rx/marbles
 * @experimental It may change in any version.
 */

export { defineMarbles, type LobbyMarbles } from './lobby-marbles.js';
export type { EventOfKind, NamedWatch } from './timeline.js';
