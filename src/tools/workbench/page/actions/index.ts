export type { Run, ShownResult } from './command-form.js';
export { Person } from './person.js';
export { Service } from './service.js';
