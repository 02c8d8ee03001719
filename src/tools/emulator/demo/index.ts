export { seedWorld, type SeedConfig, type SeededWorld } from './seed-world.js';
export { simulateActivity, type Activity, type ActivityConfig } from './simulate-activity.js';
