/**
 * Metrics by OpenTelemetry.
 *
 * @module lobby-rx/opentelemetry
 */

export { clientMetrics } from './client-metrics.js';
export { consumerMetrics, type ConsumedBatch } from './consumer-metrics.js';
export { fleetMetrics, type WorkerHeartbeat, type WorkerEvent } from './fleet-metrics.js';
export { gateMetrics, type GateFigures } from './gate-metrics.js';
