import type { Workshop } from './workshop.js';
export const testRunners: readonly Workshop[] = [];
