/** Matches the value of a field whose name contains `token`. */
const FIELD = /("[\w-]*token\w*"\s*:\s*(?:\{\s*"\w+"\s*:\s*)?")[^"\\]*(?:\\.[^"\\]*)*/gi;
/** Matches a token of this emulator in any place. */
const ISSUED = /\b(identity|lobby|player)\.(?:[\da-f]{32}|[\da-f]*$)/g;

/** A text of the emulator without the tokens in it. */
export function withoutTokens(text: string): string {
  return text.replace(FIELD, '$1…').replace(ISSUED, '$1.…');
}
