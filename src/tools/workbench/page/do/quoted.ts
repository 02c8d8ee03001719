/** Runs a line as if it was typed in the terminal. */
export type Type = (line: string) => Promise<void>;

/** The part of a line that names the identity on which it acts. It is empty for `self`. */
export const whoIs = (who_id: string, self: string): string => (who_id === self ? '' : ` who=${who_id}`);

/** A value in quotes, so that it may contain spaces. */
export const quoted = (text: string): string => `"${text.replace(/["\\]/g, char => `\\${char}`)}"`;
