export { Direct, DirectOperator, directOf, DirectState, DirectSubject, follow, onlyNext } from './direct.js';
