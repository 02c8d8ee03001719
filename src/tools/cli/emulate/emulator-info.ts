import type { EmulatorServer, SeededWorld } from '../../emulator/index.js';

/** The data about a running emulator that is printed for programs and for people. */
export interface EmulatorInfo {
  readonly server: EmulatorServer;
  readonly world: SeededWorld;
  readonly isSimulated: boolean;
  /** Whether the workbench is served. */
  readonly hasUi: boolean;
  /** Whether other machines can reach the emulator. */
  readonly isOpen: boolean;
}

/** The values for a program. */
export function infoForPrograms({ server: { url, urls, control }, world, hasUi }: EmulatorInfo): object {
  const { groupId, identityId, identityToken, lobbyId, lobbyToken, lobbyUrl, playerToken } = world;
  return {
    url,
    ...urls,
    groupId,
    identityId,
    identityToken,
    lobbyId,
    lobbyToken,
    playerToken,
    lobbyUrl,
    controlUrl: control?.url,
    controlSecret: control?.secret,
    ...(hasUi && { workbenchUrl: workbenchUrl(control) }),
  };
}

/** The text for people, with lines to paste into a shell. */
export function infoForPeople({
  server: { url, port, control },
  world,
  isSimulated,
  hasUi,
  isOpen,
}: EmulatorInfo): string {
  const { groupId, groupName, identityId, identityToken, lobbyToken, lobbyUrl, playerToken } = world;
  const activity = isSimulated
    ? 'with simulated activity'
    : 'without activity (use --simulate to simulate some)';
  return `The service is running ${activity}.
Press Ctrl-C to stop it. Type help for what you can make happen in it.
${isOpen ? `Other machines reach it, too, at port ${port}. The workbench and commands need the secret below, and --allow-host.\n` : ''}
  URL              ${url}
${hasUi ? `  workbench        ${workbenchUrl(control)}\n` : ''}
  group            ${groupId}  ${groupName}
  identity         ${identityId}
  identity token   ${identityToken}
  lobby token      ${lobbyToken}
  player token     ${playerToken}  valid once, for two minutes
${lobbyUrl === undefined ? '' : `  lobby            ${lobbyUrl}  takes the player token as the first message\n`}
For lobby-rx members, watch and events:
  export LOBBY_RX_URL=${url} LOBBY_RX_TOKEN=${identityToken} LOBBY_RX_GROUP=${groupId}

For lobby-rx connected, and for examples/lobby-server:
  export LOBBY_RX_URL=${url} LOBBY_RX_TOKEN=${lobbyToken} LOBBY_TOKEN=${lobbyToken}

List members of the group:
  curl -H 'Authorization: Bearer ${identityToken}' '${url}/v1/groups/${groupId}/members?count=3'

Get live events, starting now; pass the index back as ?watch_index= to wait for the next ones:
  curl -H 'Authorization: Bearer ${identityToken}' '${url}/identity/events/live'

Confirm the player:
  curl -X POST -H 'Authorization: Bearer ${lobbyToken}' -H 'Content-Type: application/json' \\
    -d '{"player_token":"${playerToken}"}' '${url}/v1/players/connected'

Do from a program what you can type here:
  export CONTROL_URL=${control?.url} CONTROL_SECRET=${control?.secret}
  curl -X POST -H "Authorization: Bearer $CONTROL_SECRET" -d '{"status":"away"}' "$CONTROL_URL/presence"
`;
}

/** The URL of the workbench. The secret is after the `#`, and browsers do not send that part. */
const workbenchUrl = (control: EmulatorServer['control']) => `${control?.url}/workbench#${control?.secret}`;
