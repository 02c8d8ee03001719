export { Direct, directOf, follow, onlyNext } from './direct.js';
export { DirectOperator } from './direct-operator.js';
export { DirectState } from './direct-state.js';
export { DirectSubject } from './direct-subject.js';
