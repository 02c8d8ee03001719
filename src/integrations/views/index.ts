/**
 * A group and a feed as states that components show: in React, Vue, Svelte or by themselves.
 *
 * @module lobby-rx/views
 */

export { feedState, type FeedState, type FeedStateObservable } from './feed-state.js';
export { lobbyState, type LobbyState, type LobbyStateConfig } from './lobby-state.js';
export { rosterState, type RosterState, type RosterStateConfig } from './roster-state.js';
export type { StateObservable } from './state-observable.js';
