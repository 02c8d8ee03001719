/** What `lobby-rx --help` prints. */
export const USAGE = `lobby-rx: the Lobby, Group and Identity Event service, from a shell

  lobby-rx emulate    runs the whole service on 127.0.0.1, with a small world in it

Each command has its own --help.
`;
