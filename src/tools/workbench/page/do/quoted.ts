/** Does what a line says, as it is typed in the terminal. */
export type Type = (line: string) => Promise<void>;

/** A value of a line, which may have spaces. */
export const quoted = (text: string): string => `"${text.replace(/["\\]/g, char => `\\${char}`)}"`;
