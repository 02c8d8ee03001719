export { Happened } from './happened.js';
export { topicOf } from './in-words.js';
