/** Does what a line says, as it is typed in the terminal. */
export type Type = (line: string) => Promise<void>;

/** The words of a line that name whom it acts on: `self` needs none. */
export const whoIs = (who_id: string, self: string): string => (who_id === self ? '' : ` who=${who_id}`);

/** A value of a line, which may have spaces. */
export const quoted = (text: string): string => `"${text.replace(/["\\]/g, char => `\\${char}`)}"`;
