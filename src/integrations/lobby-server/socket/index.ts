export { checkCloseFrame, toCloseReason } from './close-frame.js';
export { Connection } from './connection.js';
export { atDeadline, forceClose } from './deadline.js';
export { MessageBuffer } from './message-buffer.js';
