import type { SeededWorld } from '../demo/index.js';
import type { Emulator } from '../emulator.js';
import type { Command, Commands } from './command.js';
import { eventCommands } from './event-commands.js';
import { faultCommand } from './fault-command.js';
import { Guests } from './guests.js';
import { memberCommands } from './member-commands.js';

/**
 * The commands of an emulator, by name. They act on the identity of the seeded world, unless `who`
 * names another one.
 */
export function createCommands(emulator: Emulator, world: SeededWorld): Commands {
  const guests = new Guests(world);
  return {
    ...lobbyCommands(emulator, world, guests),
    ...memberCommands(emulator, world, guests),
    ...eventCommands(emulator, guests),
    fault: faultCommand(emulator),
    ...tokenCommands(emulator, guests),
    state: stateCommand(emulator, world),
  };
}

function lobbyCommands(emulator: Emulator, { lobbyId }: SeededWorld, guests: Guests): Commands {
  return {
    player: {
      summary: 'one more player: reserves a slot in the lobby',
      takes: [],
      needs: 0,
      run: () => ({ message: 'a slot is reserved', player_token: emulator.reservePlayer(lobbyId) }),
    },
    lobby: {
      summary: 'sends a lobby join with a player token',
      takes: ['who'],
      needs: 0,
      run: ({ who }) => ({
        message: 'the lobby join is sent',
        player_token: emulator.sendLobbyJoin(guests.idOf(who), lobbyId),
      }),
    },
  };
}

function tokenCommands(emulator: Emulator, guests: Guests): Commands {
  return {
    'token expire': {
      summary: 'requests with the token get a 401',
      takes: ['who'],
      needs: 0,
      run: ({ who }) => {
        const [, token] = guests.tokenOf(who);
        emulator.expireToken(token);
        return { message: "the identity's token has expired" };
      },
    },
    'token renew': {
      summary: 'issues another token',
      takes: ['who'],
      needs: 0,
      run: ({ who }) => {
        const [identity_id, old] = guests.tokenOf(who);
        const token = emulator.renewToken(old);
        guests.setToken(identity_id, token);
        return { message: 'a new token is issued', token };
      },
    },
  };
}

function stateCommand(emulator: Emulator, { lobbyId }: SeededWorld): Command {
  return {
    summary: 'counts players, requests and faults',
    takes: [],
    needs: 0,
    run: () => {
      const { requests, faultCounts } = emulator;
      return {
        message: 'the state',
        ...emulator.playersIn(lobbyId),
        requests: requests.length,
        pending: requests.filter(({ pending }) => pending).length,
        faults: { ...faultCounts },
        planned: emulator.plannedFaults().map(({ fault, left }) => ({
          ...fault,
          times: left === Infinity ? 'always' : left,
        })),
      };
    },
  };
}
