import { checkArgument, InputError, nonEmptyString } from '../../../error/index.js';
import type { SeededWorld } from '../demo/index.js';
import type { Emulator } from '../emulator.js';
import type { Commands } from './command.js';
import type { Guests } from './guests.js';

/** The commands that change the members of the group, their presence and their names. */
export function memberCommands(emulator: Emulator, { groupId }: SeededWorld, guests: Guests): Commands {
  return {
    join: {
      summary: 'a new member joins the group',
      takes: ['name'],
      needs: 0,
      run: ({ name = `Guest ${guests.count + 1}` }) => {
        const display_name = checkArgument('name', nonEmptyString, name);
        if (guests.has(display_name)) throw new InputError('name', 'a new one', 'one of a member');
        const guest = emulator.addIdentity({ display_name });
        guests.add(display_name, guest.identity_id, guest.token);
        emulator.join(groupId, guest.identity_id);
        return { message: `${display_name} has joined`, ...guest };
      },
    },
    leave: {
      summary: 'a member leaves; default: the last to join',
      takes: ['who'],
      needs: 0,
      run: ({ who = guests.last }) => {
        if (who === undefined) throw new InputError('who', 'given, since no player has joined', 'nothing');
        const name = checkArgument('who', nonEmptyString, who);
        const identity_id = guests.idOf(name);
        emulator.leave(groupId, identity_id);
        guests.remove(name);
        return { message: `${name} has left`, identity_id };
      },
    },
    presence: {
      summary: 'is online, away, offline or any word',
      takes: ['status', 'who'],
      needs: 1,
      run: ({ status, who }) => {
        const identity_id = guests.idOf(who);
        emulator.updatePresence(identity_id, { status: checkArgument('status', nonEmptyString, status) });
        return { message: `the presence is ${String(status)}`, identity_id };
      },
    },
    profile: {
      summary: 'has another name',
      takes: ['name', 'who'],
      needs: 1,
      run: ({ name, who }) => {
        const display_name = checkArgument('name', nonEmptyString, name);
        const identity_id = guests.idOf(who);
        emulator.updateProfile(identity_id, { display_name });
        return { message: `the name is ${display_name}`, identity_id };
      },
    },
  };
}
