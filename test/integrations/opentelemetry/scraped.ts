import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Meter } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

/** A meter of the SDK whose figures Prometheus's exporter shows. */
export interface ScrapedMeter {
  readonly meter: Meter;
  /** What Prometheus would read, over HTTP. */
  readonly scrape: () => Promise<string>;
  readonly stop: () => Promise<void>;
}

export async function scrapedMeter(): Promise<ScrapedMeter> {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  const server = createServer((request, response) => exporter.getMetricsRequestHandler(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    meter: provider.getMeter('test'),
    scrape: async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await provider.shutdown();
    },
  };
}
