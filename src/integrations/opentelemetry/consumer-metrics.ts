import { metrics, type Meter } from '@opentelemetry/api';
import { asyncScheduler } from 'rxjs';
import { monotonicClock, type Gap } from '../../stream/index.js';

/** The measured part of a batch: `FleetBatch` of `lobby-rx/fleet`. */
export interface ConsumedBatch {
  readonly events: readonly unknown[];
  readonly gap?: Gap;
}

/** The measured part of an entry in the log: `FleetConsumerLogEntry` of `lobby-rx/fleet`. */
export interface ConsumerLogEntry {
  readonly kind: string;
  /** The lag. `undefined` if it is not known. */
  readonly messages?: number | undefined;
}

/**
 * Returns a function for the batches and the `log` of `fleetBatches` that feeds a meter: how many
 * messages the consumer is behind, the events that it has read, and its gaps by reason. The names
 * are in docs/metrics.md. The lag comes from the log, and its age says whether it is still known.
 *
 * `consumer` names it, for example by its `durable`. Call it once, after the SDK has been
 * registered. Default `meter`: that of the SDK.
 *
 * @example
 * const log = consumerMetrics('mail');
 * fleetBatches({ nats, durable: 'mail', ack, log }).subscribe(log);
 */
export function consumerMetrics(
  consumer: string,
  meter: Meter = metrics.getMeter('lobby-rx'),
): (report: ConsumedBatch | ConsumerLogEntry) => void {
  const ofConsumer = { 'lobby.fleet.consumer': consumer };
  const clock = monotonicClock(asyncScheduler);
  let knownAt = clock.now();
  const lag = meter.createGauge('lobby.fleet.consumer.lag', {
    unit: '{message}',
    description: 'Messages that the consumer has not read yet',
  });
  const lagAge = meter.createObservableGauge('lobby.fleet.consumer.lag.age', {
    unit: 's',
    description: 'How long ago that was known',
  });
  lagAge.addCallback(result => result.observe((clock.now() - knownAt) / 1_000, ofConsumer));
  const events = meter.createCounter('lobby.fleet.consumer.events', {
    unit: '{event}',
    description: 'Events that it has read',
  });
  const gaps = meter.createCounter('lobby.fleet.consumer.gaps', {
    unit: '{gap}',
    description: 'Points where events may be missing',
  });
  return report => {
    if ('events' in report) {
      events.add(report.events.length, ofConsumer);
      if (report.gap) gaps.add(1, { ...ofConsumer, 'lobby.gap.reason': report.gap.reason });
    } else if (report.kind === 'lag' && report.messages !== undefined) {
      lag.record(report.messages, ofConsumer);
      knownAt = clock.now();
    }
  };
}
