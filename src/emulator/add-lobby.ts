import { checkArgument } from '../error/index.js';
import { positiveInteger, type Lobby, type Port } from '../protocol/index.js';
import { issueToken } from './issue-token.js';
import { randomId } from './random-id.js';
import type { World } from './world.js';

/** What a lobby is to be like; all of it optional. */
export interface LobbyPlan {
  readonly lobby_id?: string;
  readonly region?: Lobby['region'];
  readonly ports?: Readonly<Record<string, Port>>;
  /** How many slots it has. Default 8. */
  readonly maxPlayers?: number;
}

/** A lobby that was added, and the bearer token that its server is to use. */
export interface AddedLobby {
  readonly lobby_id: string;
  readonly token: string;
}

/** Adds a lobby. */
export const addLobby =
  (world: World) =>
  (plan: LobbyPlan = {}): AddedLobby => {
    checkArgument('maxPlayers', positiveInteger, plan.maxPlayers ?? 8);
    const lobby_id = plan.lobby_id ?? randomId(world.random);
    const token = issueToken('lobby', world);
    world.lobbies.set(lobby_id, {
      lobby: { lobby_id, region: plan.region ?? { region_id: 'fra', display_name: 'Frankfurt' } },
      ports: plan.ports ?? {
        default: { host: 'fra.lobby.example:443', hostname: 'fra.lobby.example', port: 443, is_tls: true },
      },
      maxPlayers: plan.maxPlayers ?? 8,
    });
    world.bearers.set(token, { kind: 'lobby', id: lobby_id, expired: false });
    return { lobby_id, token };
  };
