export { emulate } from './emulate.js';
