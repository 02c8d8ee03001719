// Runs in a page: a player of a lobby, who shows the test what becomes of them.
import { isLobbyClosedError, lobbyConnection } from 'lobby-rx';
import type { Followed } from './follower.js';

const given = new URLSearchParams(location.search);
const url = given.get('lobby') ?? '';
const token = given.get('token') ?? '';
const followed: Pick<Followed, 'states' | 'events' | 'gaps'> = { states: [], events: [], gaps: [] };
Object.assign(globalThis, { followed });

const lobby = lobbyConnection({ url, token }, { heartbeat: 1_000 });
lobby.status$.subscribe(({ state }) => followed.states.push(state));
lobby.subscribe({
  next: message => followed.events.push(String(message)),
  error: (error: unknown) =>
    followed.gaps.push(isLobbyClosedError(error) ? String(error.reason) : 'another error'),
});
