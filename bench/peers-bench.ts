import { benchPeerCost } from './peers-cost.js';
import { benchFaults } from './peers-faults.js';
import type { Report } from './report.js';

/** `watch` beside the clients that do the same work: under faults, and what it costs. */
export async function benchPeers(report: Report): Promise<void> {
  await benchFaults(report);
  await benchPeerCost(report);
}
