export { readWorkbenchPage } from './workbench-page.js';
export { createWorkbench } from './workbench.js';
