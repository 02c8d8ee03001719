export { actionOf, faultInWords } from './actions.js';
export { ActionBar } from './action-bar.js';
export { whoArgument, type RunLine } from './line-of.js';
