import { ok } from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { listedProcesses } from '../../examples/fleet/processes.js';

const MAIN = join(import.meta.dirname, '../../examples/fleet/main.ts');
/** The first of four ports in a row that nothing else uses here. */
const PORT = 19_464;

describe('npm run fleet -- --metrics', function () {
  this.timeout(90_000);

  it('shows the effect of a kill to Prometheus', async () => {
    const args = ['--import', 'tsx', MAIN, '--metrics', '--seconds', '80', '--identities', '24'];
    const env = { ...process.env, OTEL_EXPORTER_PROMETHEUS_PORT: String(PORT) };
    const fleet = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    fleet.stdout.on('data', (data: Buffer) => {
      out += data.toString();
    });
    const metricsOf = async (i: number) => {
      const response = await fetch(`http://127.0.0.1:${PORT + i}/metrics`).catch(() => undefined);
      return (await response?.text()) ?? '';
    };
    /** The sum of a metric over all live workers. */
    const sum = async (metric: RegExp) => {
      const texts = await Promise.all([0, 1, 2].map(i => metricsOf(i)));
      const values = texts.flatMap(text => [...text.matchAll(metric)].map(([, value]) => Number(value)));
      return values.reduce((total, value) => total + value, 0);
    };
    const until = async (condition: () => Promise<boolean>) => {
      while (!(await condition())) {
        ok(fleet.exitCode === null, `the fleet has ended: ${out}`);
        await new Promise(resolve => setTimeout(resolve, 200));
      }
    };
    const LIVE = /^lobby_fleet_identities\{.*lobby_fleet_state="live".*\} (\d+)/gm;
    try {
      await until(async () => (await sum(LIVE)) === 24);
      await until(async () => (await sum(/^lobby_polls_open\{.*\} (\d+)/gm)) > 0);
      await until(async () => /^lobby_fleet_consumer_events_total\{.*\} [1-9]/m.test(await metricsOf(3)));
      process.kill(listedProcesses()!.ben!, 'SIGKILL');
      await until(async () => (await sum(/^lobby_fleet_incidents_total\{.*"takeover".*\} (\d+)/gm)) > 0);
      await until(async () => (await sum(LIVE)) === 24);
      ok(out.includes(`metrics of ben: http://127.0.0.1:${PORT + 1}/metrics`), out);
    } finally {
      fleet.kill('SIGINT');
      await once(fleet, 'exit');
    }
  });
});
