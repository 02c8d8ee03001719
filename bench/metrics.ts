import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { LogEntry } from 'lobby-rx';
import { clientMetrics } from 'lobby-rx/opentelemetry';
import { cpuOf, interleaved } from './measure.js';
import type { Report } from './report.js';

const REQUESTS = 100_000;

/** What metrics cost: of a poll, the request, its answer and its turn. */
export async function benchMetrics(report: Report): Promise<void> {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  const log = clientMetrics(provider.getMeter('bench'));
  const url = 'https://api.example.com/identity/events/live?watch_index=';
  const entries = (i: number): readonly LogEntry[] => {
    const request = { method: 'GET', url: `${url}${i}`, requestId: i, at: i };
    return [
      { ...request, kind: 'request' },
      { ...request, kind: 'answer', status: 200, ms: i % 1_000 },
      { kind: 'poll_end', at: i, watchId: 1, why: 'news', wait: 0, attempt: 0, error: undefined },
    ];
  };
  const cpu = (write: (entry: LogEntry) => void) => async () =>
    (await cpuOf(() => {
      for (let i = 0; i < REQUESTS; i++) entries(i).forEach(write);
      return Promise.resolve();
    })) / REQUESTS;
  let written = 0;
  const rounds = await interleaved(
    {
      metered: cpu(log),
      unmetered: cpu(({ at }) => {
        written += at;
      }),
    },
    { rounds: 9, warmUp: 2 },
  );
  if (written === 0) throw new Error('nothing was written');
  report.heading("Metrics of a poll, with OpenTelemetry's SDK: CPU of its three entries of the log");
  report.row('clientMetrics()', rounds.median('metered') - rounds.median('unmetered'), 'µs', 8);
  await provider.shutdown();
}
