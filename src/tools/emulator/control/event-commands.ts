import { checkArgument, InputError, nonEmptyString, tryOr } from '../../../error/index.js';
import type { Emulator } from '../emulator.js';
import type { Commands } from './command.js';
import type { Guests } from './guests.js';

/** The URL in the notification of a chat message. */
const THREAD = 'https://hub.example/threads/1';

/** The commands that send an event to one identity. */
export function eventCommands(emulator: Emulator, guests: Guests): Commands {
  return {
    message: {
      summary: 'a chat message, with a notification',
      takes: ['text', 'who'],
      needs: 1,
      run: ({ text, who }) => {
        const description = checkArgument('text', nonEmptyString, text);
        const notification = { title: 'A friend', description, thumbnail_url: '', url: THREAD };
        const ts = emulator.publish(guests.idOf(who), { chat_message: { text } }, notification);
        return { message: 'the message is sent', ts };
      },
    },
    event: {
      summary: 'any event, with JSON as its payload',
      takes: ['kind', 'payload', 'who'],
      needs: 1,
      run: ({ kind, payload = {}, who }) => {
        const name = checkArgument('kind', nonEmptyString, kind);
        const ts = emulator.publish(guests.idOf(who), { [name]: jsonOf(payload) });
        return { message: 'the event is sent', ts };
      },
    },
  };
}

/** The JSON value of a payload. On a command line, a word that is not JSON counts as a string. */
function jsonOf(payload: unknown): unknown {
  const value = typeof payload === 'string' ? tryOr<unknown>(() => JSON.parse(payload), payload) : payload;
  if (isTooDeep(value))
    throw new InputError('payload', 'JSON that is not nested thousands of levels deep', 'something else');
  return value;
}

/**
 * The largest depth of a payload. Some versions of Node can parse a much deeper value but cannot
 * write it. A value that cannot be sent must not be stored.
 */
const MAX_PAYLOAD_DEPTH = 1_000;

function isTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= MAX_PAYLOAD_DEPTH; depth++) {
    level = level.flatMap(childrenOf);
    if (level.length === 0) return false;
  }
  return true;
}

function childrenOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
