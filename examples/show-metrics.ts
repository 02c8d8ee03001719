import { metrics } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

/** The first port for metrics. The variable is OpenTelemetry's own. */
export const METRICS_PORT = Number(process.env.OTEL_EXPORTER_PROMETHEUS_PORT ?? 9464);

/**
 * Shows the metrics of this process to Prometheus, and returns where. If the port cannot be used,
 * the process ends.
 */
export async function showMetrics(port: number): Promise<string> {
  const exporter = new PrometheusExporter({ host: '127.0.0.1', port, preventServerStart: true });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [exporter] }));
  try {
    await exporter.startServer();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    console.error(`--metrics: port ${port} cannot be used: ${code}; set OTEL_EXPORTER_PROMETHEUS_PORT`);
    process.exit(2);
  }
  return `http://127.0.0.1:${port}/metrics`;
}
