export { toCloseReason } from './close-frame.js';
export { createConnection, type Connection } from './connection.js';
export { forceClose } from './force-close.js';
