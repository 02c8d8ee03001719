export { SelfReport } from './self-report.js';
