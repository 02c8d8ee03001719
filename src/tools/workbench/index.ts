export { readWorkbenchPage } from './workbench-page.js';
export { createWorkbench, type Workbench } from './workbench.js';
