export { Direct, directOf, follow, onlyNext } from './direct.js';
export { DirectOperator } from './direct-operator.js';
export { DirectSubject } from './direct-subject.js';
