export { Direct, directOf, follow, onlyNext } from './direct.js';
export { DirectOperator } from './direct-operator.js';
export { DirectState, DirectSubject } from './direct-subject.js';
