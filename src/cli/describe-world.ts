import type { EmulatorServer, SeededWorld } from '../emulator/index.js';
import type { EmulateOptions } from './emulate-options.js';

/** What `lobby-rx emulate` prints: addresses, ids and tokens, for a person or, in one line of JSON, for a program. */
export function describeWorld(server: EmulatorServer, world: SeededWorld, options: EmulateOptions): string {
  const { groupUrl, matchmakerUrl, apiUrl } = server.urls;
  const { groupId, identityId, identityToken, lobbyToken, playerToken } = world;
  if (options.json) {
    const facts = {
      groupUrl,
      matchmakerUrl,
      apiUrl,
      groupId,
      identityId,
      identityToken,
      lobbyToken,
      playerToken,
    };
    return `${JSON.stringify(facts)}\n`;
  }
  return `The service is up, and ${options.live ? 'its world moves' : 'its world stands still (--live moves it)'}. Ctrl-C stops it.

  group URL        ${groupUrl}
  matchmaker URL   ${matchmakerUrl}
  API URL          ${apiUrl}

  group            ${groupId}  ${world.groupName}
  identity         ${identityId}
  identity token   ${identityToken}
  lobby token      ${lobbyToken}
  player token     ${playerToken}  good for one use, within two minutes

For lobby-rx members, watch and events:
  export LOBBY_GROUP_URL=${groupUrl} LOBBY_API_URL=${apiUrl}
  export LOBBY_TOKEN=${identityToken}

For lobby-rx connected, and examples/lobby-server:
  export LOBBY_MATCHMAKER_URL=${matchmakerUrl} LOBBY_TOKEN=${lobbyToken}

Members of the group:
  curl -H 'Authorization: Bearer ${identityToken}' '${groupUrl}/v1/groups/${groupId}/members?count=3'

Live events, from now; send the index back as ?watch_index= to wait for the next:
  curl -H 'Authorization: Bearer ${identityToken}' '${apiUrl}/identity/events/live'

Confirm the player:
  curl -X POST -H 'Authorization: Bearer ${lobbyToken}' -H 'Content-Type: application/json' \\
    -d '{"player_token":"${playerToken}"}' '${matchmakerUrl}/v1/players/connected'
`;
}
