export { toCloseReason } from './close-frame.js';
export { Connection } from './connection.js';
export { forceClose } from './force-close.js';
