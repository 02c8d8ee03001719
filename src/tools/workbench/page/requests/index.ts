export { inWords, topicOf } from './in-words.js';
export { LiveMarbles } from './live-marbles.js';
export { RequestTable } from './request-table.js';
