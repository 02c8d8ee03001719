/** What `lobby-rx --help` prints. */
export const USAGE = `lobby-rx: the Lobby, Group and Identity Event service, from a shell

  lobby-rx members GROUP   lists a group's members
  lobby-rx watch GROUP     tells who joins a group, who leaves it, and who is different
  lobby-rx events          follows the live events of an identity
  lobby-rx connected       confirms a player's token, read from standard input
  lobby-rx emulate         runs the whole service on 127.0.0.1, with a small world in it

Each command has its own --help; lobby-rx --version prints the version. Addresses and the bearer token come from the environment: LOBBY_GROUP_URL,
LOBBY_MATCHMAKER_URL, LOBBY_API_URL, LOBBY_TOKEN; addresses can be given by flags too, a token cannot, since everyone on
the machine sees arguments.

Exit codes: 0 fine, 1 refused by the service, 2 wrong arguments, 3 the service was not reached; members and connected:
130 and 143 stopped before they were done.
`;
