export { jsonLine } from './json-line.js';
export { printLine, warn } from './print.js';
export { readSecret } from './read-secret.js';
export { eventRow, issueText, malformedText, memberRow } from './rows.js';
