/**
 * Watches in a page: one for all tabs, and only while the page is alive.
 *
 * @module lobby-rx/browser
 */

export { pageWake } from '../../stream/index.js';
export { acrossTabs, type AcrossTabsConfig, type TabSharing } from './across-tabs.js';
export { pageAlive } from './page-alive.js';
export { whileAlive } from './while-alive.js';
