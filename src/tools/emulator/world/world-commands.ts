import { expireToken, renewToken } from './bearer-tokens.js';
import { publish } from './events.js';
import { addGroup, join, leave } from './groups.js';
import { addIdentity, befriend, updatePresence, updateProfile } from './identities.js';
import { addLobby } from './lobbies.js';
import { playersIn, playerState, reservePlayer, sendLobbyJoin } from './players.js';
import { saveWorld as save, type World } from './world.js';

/** The commands that act on a world. The fields of `Emulator` describe them. */
const COMMANDS = {
  addIdentity,
  befriend,
  updateProfile,
  updatePresence,
  publish,
  addGroup,
  join,
  leave,
  addLobby,
  reservePlayer,
  sendLobbyJoin,
  playerState,
  playersIn,
  expireToken,
  renewToken,
  save,
};

type Commands = {
  readonly [Name in keyof typeof COMMANDS]: (typeof COMMANDS)[Name] extends (
    world: World,
    ...args: infer Args
  ) => infer Result
    ? (...args: Args) => Result
    : never;
};

export function worldCommands(world: World): Commands {
  const commands = Object.entries(COMMANDS).map(([name, command]) => [
    name,
    (...args: readonly unknown[]) => (command as (...args: readonly unknown[]) => unknown)(world, ...args),
  ]);
  return Object.fromEntries(commands) as Commands;
}
