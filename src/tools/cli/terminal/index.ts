export { eventRow, issueText } from './event-row.js';
export { jsonLine } from './json-line.js';
export { malformedText, memberRow } from './member-row.js';
export { printLine } from './print-line.js';
export { readSecret } from './read-secret.js';
export { warn } from './warn.js';
