export { Breaks, spoken } from './breaks.js';
export { DoTo } from './do-to.js';
export { Palette } from './palette.js';
export { whoIs, type Type } from './quoted.js';
