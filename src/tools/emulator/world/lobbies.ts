import { jsonObject, Port } from '../../../protocol/index.js';
import { checkOptions, positiveInteger, type Check, type Options } from '../../../error/index.js';
import { randomId } from './random-numbers.js';
import { issueBearer } from './bearer-tokens.js';
import type { World } from './world.js';

/** The lobby to add. All fields are optional. */
export interface LobbyPlan {
  /** The ports of the lobby, by name. Default: one port, named `default`. */
  readonly ports?: Readonly<Record<string, Port>>;
  /** The number of slots. Default 8. */
  readonly maxPlayers?: number;
}

export const lobbyPorts: Check = {
  name: 'an object of ports, each with hostname and is_tls',
  is: u => jsonObject.is(u) && Object.values(u).every(Port.is),
};

const OPTIONS: Options<LobbyPlan> = {
  ports: lobbyPorts,
  maxPlayers: positiveInteger,
};

const REGION = { region_id: 'fra', display_name: 'Frankfurt' };
const HOST = { host: 'fra.lobby.example:443', hostname: 'fra.lobby.example', port: 443, is_tls: true };

/** A lobby that was added, and the bearer token for the lobby server. */
export interface AddedLobby {
  readonly lobby_id: string;
  readonly token: string;
}

export function addLobby(world: World, plan: LobbyPlan = {}): AddedLobby {
  checkOptions(plan, OPTIONS);
  const { ports = { default: HOST }, maxPlayers = 8 } = plan;
  const lobby_id = randomId(world.random);
  world.lobbies.set(lobby_id, { lobby: { lobby_id, region: REGION }, ports, maxPlayers });
  return { lobby_id, token: issueBearer(world, 'lobby', lobby_id) };
}
