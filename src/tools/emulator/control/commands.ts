import {
  checkArgument,
  InputError,
  nonEmptyString,
  positiveInteger,
  tryOr,
  type Guard,
} from '../../../error/index.js';
import type { SeededWorld } from '../demo/index.js';
import type { Emulator } from '../emulator.js';
import { FAULT_FIELDS, type Fault, type FaultPlan } from '../fault/index.js';

/** The fields of a command, by name, as words or as JSON. */
export type Fields = Readonly<Record<string, unknown>>;

/** What a command has done: a sentence for people, and values for a program. */
export interface ControlResult {
  readonly message: string;
  readonly [name: string]: unknown;
}

/** One thing that can be done with a running emulator. */
export interface Command {
  /** What it does, in a few words. */
  readonly summary: string;
  /** The fields that can be given without their names, in this order. */
  readonly takes: readonly string[];
  /** How many of these must be given. */
  readonly needs: number;
  /** Further fields, which must be given with their names. */
  readonly options?: readonly string[];
  readonly run: (fields: Fields) => ControlResult;
}

/**
 * The commands of an emulator, by name. They act on the identity of the seeded world, unless `who`
 * names another one.
 */
export function createCommands(emulator: Emulator, world: SeededWorld): Readonly<Record<string, Command>> {
  /** The ids of those who have joined, by name, oldest first. */
  const guests = new Map<string, string>();
  /** The tokens of the identity and of those who have joined, by id. */
  const tokens = new Map([[world.identityId, world.identityToken]]);
  const faults = new Set<() => void>();

  const idOf = (who: unknown): string => {
    const name = who === undefined ? world.identityId : checkArgument('who', nonEmptyString, who);
    return guests.get(name) ?? name;
  };
  const tokenOf = (who: unknown): readonly [identity_id: string, token: string] => {
    const identity_id = idOf(who);
    const token = tokens.get(identity_id);
    if (token === undefined) throw new InputError('who', 'someone who has joined here', 'someone else');
    return [identity_id, token];
  };
  const clearFaults = () => {
    for (const withdraw of faults) withdraw();
    faults.clear();
  };

  return {
    player: {
      summary: 'one more player: reserves a slot in the lobby',
      takes: [],
      needs: 0,
      run: () => {
        const player_token = emulator.reservePlayer(world.lobbyId);
        return { message: 'a slot is reserved', player_token };
      },
    },
    lobby: {
      summary: 'sends a lobby join with a player token',
      takes: ['who'],
      needs: 0,
      run: ({ who }) => ({
        message: 'the lobby join is sent',
        player_token: emulator.sendLobbyJoin(idOf(who), world.lobbyId),
      }),
    },
    join: {
      summary: 'a new member joins the group',
      takes: ['name'],
      needs: 0,
      run: ({ name = `Guest ${guests.size + 1}` }) => {
        const display_name = checkArgument('name', nonEmptyString, name);
        if (guests.has(display_name)) throw new InputError('name', 'a new one', 'one of a member');
        const guest = emulator.addIdentity({ display_name });
        guests.set(display_name, guest.identity_id);
        tokens.set(guest.identity_id, guest.token);
        emulator.join(world.groupId, guest.identity_id);
        return { message: `${display_name} has joined`, ...guest };
      },
    },
    leave: {
      summary: 'a member leaves; default: the last to join',
      takes: ['who'],
      needs: 0,
      run: ({ who = [...guests.keys()].at(-1) }) => {
        if (who === undefined) throw new InputError('who', 'given, since no player has joined', 'nothing');
        const name = checkArgument('who', nonEmptyString, who);
        const identity_id = idOf(name);
        emulator.leave(world.groupId, identity_id);
        guests.delete(name);
        return { message: `${name} has left`, identity_id };
      },
    },
    presence: {
      summary: 'is online, away, offline or any word',
      takes: ['status', 'who'],
      needs: 1,
      run: ({ status, who }) => {
        const identity_id = idOf(who);
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
        const identity_id = idOf(who);
        emulator.updateProfile(identity_id, { display_name });
        return { message: `the name is ${display_name}`, identity_id };
      },
    },
    message: {
      summary: 'a chat message, with a notification',
      takes: ['text', 'who'],
      needs: 1,
      run: ({ text, who }) => {
        const url = 'https://hub.example/threads/1';
        const description = checkArgument('text', nonEmptyString, text);
        const note = { title: 'A friend', description, thumbnail_url: '', url };
        const ts = emulator.publish(idOf(who), { chat_message: { text } }, note);
        return { message: 'the message is sent', ts };
      },
    },
    event: {
      summary: 'any event, with JSON as its payload',
      takes: ['kind', 'payload', 'who'],
      needs: 1,
      run: ({ kind, payload = {}, who }) => {
        const name = checkArgument('kind', nonEmptyString, kind);
        const ts = emulator.publish(idOf(who), { [name]: jsonOf(payload) });
        return { message: 'the event is sent', ts };
      },
    },
    fault: {
      summary: 'the next requests fail: x3, always; fault off',
      takes: ['kind', 'status'],
      needs: 1,
      options: ['times', 'probability', 'only', ...FAULT_FIELDS.filter(field => field !== 'status')],
      run: ({ kind, times = 1, probability, only, ...fields }) => {
        if (kind === 'off') {
          clearFaults();
          return { message: 'there are no faults any more' };
        }
        const part = only === undefined ? '' : checkArgument('only', nonEmptyString, only);
        const plan: FaultPlan = {
          times: times === 'always' ? Infinity : checkArgument('times', aCount, numberOf(times)),
          ...(probability !== undefined && { probability: numberOf(probability) as number }),
          only: ({ url }) => url.includes(part),
        };
        const numbers = Object.entries(fields).map(([name, value]) => [name, numberOf(value)]);
        const fault = { kind, ...Object.fromEntries(numbers) } as Fault;
        faults.add(emulator.fault(fault, plan));
        return { message: `${fault.kind} is planned for the next requests`, times };
      },
    },
    'token expire': {
      summary: 'requests with the token get a 401',
      takes: ['who'],
      needs: 0,
      run: ({ who }) => {
        emulator.expireToken(tokenOf(who)[1]);
        return { message: "the identity's token has expired" };
      },
    },
    'token renew': {
      summary: 'issues another token',
      takes: ['who'],
      needs: 0,
      run: ({ who }) => {
        const [identity_id, old] = tokenOf(who);
        const token = emulator.renewToken(old);
        tokens.set(identity_id, token);
        return { message: 'a new token is issued', token };
      },
    },
    state: {
      summary: 'counts players, requests and faults',
      takes: [],
      needs: 0,
      run: () => {
        const { requests, faultCounts } = emulator;
        const pending = requests.filter(request => request.pending).length;
        const players = emulator.playersIn(world.lobbyId);
        return {
          message: 'the state',
          ...players,
          requests: requests.length,
          pending,
          faults: { ...faultCounts },
          planned: emulator.plannedFaults().map(({ fault, left }) => ({
            ...fault,
            times: left === Infinity ? 'always' : left,
          })),
        };
      },
    },
  };
}

/** How often a fault happens. */
const aCount: Guard<number> = { ...positiveInteger, name: 'a whole number of at least 1, or always' };

/** On a command line, numbers are words. */
function numberOf(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

/** On a command line, JSON is a word, too. A word that is no JSON is meant as a string. */
function jsonOf(payload: unknown): unknown {
  const value = typeof payload === 'string' ? tryOr<unknown>(() => JSON.parse(payload), payload) : payload;
  if (isTooDeep(value))
    throw new InputError('payload', 'JSON that is not nested thousands of levels deep', 'something else');
  return value;
}

/**
 * What is nested much deeper can be read, but not written by every Node: what cannot be sent must
 * not be stored.
 */
const MAX_DEPTH = 1_000;

function isTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0 && depth <= MAX_DEPTH; depth++)
    level = level.flatMap((one): unknown[] =>
      Object.values(typeof one === 'object' && one !== null ? one : {}),
    );
  return level.length > 0;
}
