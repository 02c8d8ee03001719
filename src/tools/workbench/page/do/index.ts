export { Breaks } from './breaks.js';
export { DoTo } from './do-to.js';
export { Palette } from './palette.js';
export type { Type } from './quoted.js';
