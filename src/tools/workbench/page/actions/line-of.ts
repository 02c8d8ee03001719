import { PLAYER_ACTIONS, type CommandAction } from './actions.js';

/** Runs a line as if it was typed in the terminal. */
export type RunLine = (line: string) => Promise<void>;

/** The argument of a line that names the identity on which it acts. It is empty for `self`. */
export const whoArgument = (who_id: string, self: string): string =>
  who_id === self ? '' : ` who=${who_id}`;

/** A value in quotes, so that it may contain spaces. */
const quoted = (text: string): string => `"${text.replace(/["\\]/g, char => `\\${char}`)}"`;

/** The line of an action, with the text of its field and the player on whom it acts. */
export function lineOf(action: CommandAction, text: string, target: string, self: string): string {
  const { line, field } = action;
  const value = field && text !== '' ? ` ${quoted(text)}` : '';
  if (!PLAYER_ACTIONS.includes(action)) return `${line}${value}`;
  // Without a `who`, `leave` would act on the member that joined last.
  const who = line === 'leave' ? ` who=${target}` : whoArgument(target, self);
  return `${line}${value}${who}`;
}
