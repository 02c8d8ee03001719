import { metrics, type Meter } from '@opentelemetry/api';
import type { Gap } from '../../stream/index.js';

/** The measured part of a batch: `FleetBatch` of `lobby-rx/fleet`. */
export interface ConsumedBatch {
  readonly events: readonly unknown[];
  readonly gap?: Gap;
  readonly lag: number;
}

/**
 * Returns a function for the batches of `fleetBatches` that feeds a meter: how many messages the
 * consumer is behind, the events that it has read, and its gaps by reason. The names are in
 * docs/metrics.md.
 *
 * `consumer` names it, for example by its `durable`. Call it once, after the SDK has been
 * registered. Default `meter`: that of the SDK.
 *
 * @example
 * fleetBatches({ nats, durable: 'mail', ack }).subscribe(consumerMetrics('mail'));
 */
export function consumerMetrics(
  consumer: string,
  meter: Meter = metrics.getMeter('lobby-rx'),
): (batch: ConsumedBatch) => void {
  const ofConsumer = { 'lobby.fleet.consumer': consumer };
  const lag = meter.createGauge('lobby.fleet.consumer.lag', {
    unit: '{message}',
    description: 'Messages that the consumer has not read yet',
  });
  const events = meter.createCounter('lobby.fleet.consumer.events', {
    unit: '{event}',
    description: 'Events that it has read',
  });
  const gaps = meter.createCounter('lobby.fleet.consumer.gaps', {
    unit: '{gap}',
    description: 'Points where events may be missing',
  });
  return batch => {
    lag.record(batch.lag, ofConsumer);
    events.add(batch.events.length, ofConsumer);
    if (batch.gap) gaps.add(1, { ...ofConsumer, 'lobby.gap.reason': batch.gap.reason });
  };
}
