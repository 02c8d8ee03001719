export { deedOf } from './deeds.js';
export { DoBar } from './do-bar.js';
export { whoIs, type Type } from './quoted.js';
