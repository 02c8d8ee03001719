import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { metrics } from '@opentelemetry/api';
import { catchError, EMPTY, firstValueFrom, lastValueFrom, throwError, type Subscription } from 'rxjs';
import { createClient, type LogEntry } from 'lobby-rx';
import { createEmulator, listen, type Emulator, type EmulatorServer } from 'lobby-rx/emulator';
import type { FleetBatch, FleetEvent, Heartbeat } from 'lobby-rx/fleet';
import type { GateStats } from 'lobby-rx/lobby-server';
import { clientMetrics, consumerMetrics, fleetMetrics, gateMetrics } from 'lobby-rx/opentelemetry';
import { waitUntil } from '../../wait-until.js';
import { NO_FIGURES } from '../lobby-server/no-figures.js';
import { scrapedMeter, type ScrapedMeter } from './scraped.js';

/** The values of a metric, by its labels; those of the SDK are left out. */
function valuesOf(text: string, metric: string): Readonly<Record<string, number>> {
  const values: Record<string, number> = {};
  const line = new RegExp(`^${metric}\\{(.*)\\} (\\S+)$`, 'gm');
  for (const [, labels, value] of text.matchAll(line)) {
    const own = labels!.replace(/,?otel_scope_\w+="[^"]*"/g, '').replace(/^,/, '');
    values[own] = Number(value);
  }
  return values;
}

const heartbeat: Heartbeat = {
  worker: 'ada',
  instance: '1',
  capacity: 100,
  shards: 7,
  identities: 20,
  live: 8,
  retrying: 1,
  rejected: 2,
  events: 42,
  unstored: 3,
  waiting: 0,
  late: 1_250,
};

describe('the metrics', () => {
  let scraped: ScrapedMeter;
  beforeEach(async () => {
    scraped = await scrapedMeter();
  });
  afterEach(() => scraped.stop());

  describe('of a client', () => {
    let emulator: Emulator | undefined;
    let server: EmulatorServer | undefined;
    const following: Subscription[] = [];
    beforeEach(async () => {
      emulator = createEmulator({ collectTime: 0 });
      server = await listen(emulator);
    });
    afterEach(async () => {
      for (const subscription of following.splice(0)) subscription.unsubscribe();
      await server!.close();
    });

    it('are requests, polls, their ends, gaps and silence, without tokens, paths and ids', async () => {
      const { identity_id, token } = emulator!.addIdentity();
      const group_id = emulator!.addGroup();
      emulator!.join(group_id, identity_id);
      const client = createClient({
        url: server!.url,
        token,
        watch: { linger: 0 },
        log: clientMetrics(scraped.meter),
      });
      await firstValueFrom(client.group.getMembers({ group_id }));
      const unknown$ = client.group.getMembers({ group_id: '00000000-0000-4000-8000-000000000000' });
      await lastValueFrom(unknown$.pipe(catchError(() => EMPTY)), { defaultValue: undefined });
      const kinds: string[] = [];
      following.push(client.events.feed.all$.subscribe(({ kind }) => kinds.push(kind)));
      const isHeld = () => emulator!.requests.some(({ pending }) => pending);
      await waitUntil(isHeld);
      emulator!.publish(identity_id, { chat_message: { text: 'Hi' } });
      await waitUntil(() => kinds.length === 1);
      await waitUntil(isHeld);

      const text = await scraped.scrape();
      const method = 'http_request_method="GET"';
      const counts = valuesOf(text, 'lobby_client_request_duration_count');
      const port = new URL(server!.url).port;
      const address = `server_address="127.0.0.1",server_port="${port}"`;
      const succeeded = `${address},http_response_status_code="200",${method}`;
      strictEqual(counts[`${succeeded},lobby_poll="false"`], 2, text);
      strictEqual(counts[`${succeeded},lobby_poll="true"`], 1, text);
      strictEqual(Object.entries(counts).find(([labels]) => labels.includes('error_type="40'))?.[1], 1, text);
      // An instrumentation of HTTP, in the same registry, has the name of the conventions.
      strictEqual(text.includes('# TYPE http_client_'), false);
      strictEqual(valuesOf(text, 'lobby_polls_open')[''], 1);
      strictEqual(valuesOf(text, 'lobby_watch_poll_ends_total')['lobby_poll_end_why="news"'], 1);
      match(text, /^lobby_watch_silence\{[^}]*\} 0\.\d+/m);
      for (const secret of [token, group_id, identity_id, '/v1/']) strictEqual(text.includes(secret), false);

      following[0]!.unsubscribe();
      await waitUntil(() => !isHeld());
      const after = await scraped.scrape();
      strictEqual(valuesOf(after, 'lobby_polls_open')[''], 0);
      match(after, /duration_count\{.*error_type="abort"/);
    });

    it('name failures by their reasons, and gaps by theirs', async () => {
      const log = clientMetrics(scraped.meter);
      const transport = () => throwError(() => Object.assign(new Error(), { code: 'ECONNREFUSED' }));
      const client = createClient({ url: 'https://lobby.example', token: 'any', transport, log });
      await lastValueFrom(client.group.getMembers({ group_id: 'g' }).pipe(catchError(() => EMPTY)), {
        defaultValue: undefined,
      });
      log({ kind: 'gap', at: 0, watchId: 1, reason: 'silence', index: '1' } satisfies LogEntry);
      const text = await scraped.scrape();
      match(text, /server_address="lobby\.example",server_port="443",error_type="\w+"/);
      strictEqual(valuesOf(text, 'lobby_watch_gaps_total')['lobby_gap_reason="silence"'], 1);
      doesNotMatch(text, /^lobby_watch_silence\{/m);
    });
  });

  it('of a gate are clients, admissions, refusals and failed hooks', async () => {
    const observe = gateMetrics(undefined, scraped.meter);
    doesNotMatch(await scraped.scrape(), /^lobby_gate/m);
    const stats: GateStats = {
      open: 3,
      away: 4,
      waiting: 1,
      pending: 2,
      unresolved: 0,
      admitted: 5,
      freed: 6,
      notFreed: 7,
      hookFailures: 1,
      refused: { unauthorized: 2, 'too many': 4 },
    };
    observe({ ...stats, open: 9 });
    observe(stats);
    const text = await scraped.scrape();
    strictEqual(valuesOf(text, 'lobby_gate_clients')['lobby_gate_state="open"'], 3);
    strictEqual(valuesOf(text, 'lobby_gate_clients')['lobby_gate_state="pending"'], 2);
    strictEqual(valuesOf(text, 'lobby_gate_clients')['lobby_gate_state="away"'], 4);
    strictEqual(valuesOf(text, 'lobby_gate_slots_total')['lobby_gate_outcome="freed"'], 6);
    strictEqual(valuesOf(text, 'lobby_gate_slots_total')['lobby_gate_outcome="not_freed"'], 7);
    strictEqual(valuesOf(text, 'lobby_gate_admitted_total')[''], 5);
    strictEqual(valuesOf(text, 'lobby_gate_refused_total')['lobby_gate_reason="too many"'], 4);
    strictEqual(valuesOf(text, 'lobby_gate_hook_failures_total')[''], 1);
  });

  it('of a worker are its shards, its identities and what went wrong, not those of others', async () => {
    const observe = fleetMetrics('ada', scraped.meter);
    const assigned = { kind: 'assigned', shard: 1 } as const;
    const events: readonly FleetEvent[] = [
      { kind: 'heartbeat', heartbeat, stored: true },
      { kind: 'heartbeat', heartbeat: { ...heartbeat, worker: 'ben', shards: 99 }, stored: true },
      { ...assigned, from: undefined },
      { ...assigned, from: 'ben' },
      { kind: 'nats_error', error: new Error('no answer') },
    ];
    events.forEach(observe);
    const text = await scraped.scrape();
    const ada = 'lobby_fleet_worker="ada"';
    strictEqual(valuesOf(text, 'lobby_fleet_shards')[ada], 7);
    strictEqual(valuesOf(text, 'lobby_fleet_identities')[`${ada},lobby_fleet_state="live"`], 8);
    strictEqual(valuesOf(text, 'lobby_fleet_identities')[`${ada},lobby_fleet_state="storing"`], 3);
    strictEqual(valuesOf(text, 'lobby_fleet_identities')[`${ada},lobby_fleet_state="rejected"`], 2);
    strictEqual(valuesOf(text, 'lobby_fleet_identities')[`${ada},lobby_fleet_state="starting"`], 6);
    ok(valuesOf(text, 'lobby_fleet_heartbeat_age')[ada]! < 60);
    strictEqual(valuesOf(text, 'lobby_fleet_late')[ada], 1.25);
    strictEqual(valuesOf(text, 'lobby_fleet_unstored')[ada], 3);
    strictEqual(valuesOf(text, 'lobby_fleet_events_total')[ada], 42);
    const incidents = valuesOf(text, 'lobby_fleet_incidents_total');
    strictEqual(incidents[`${ada},lobby_fleet_incident="takeover"`], 1);
    strictEqual(incidents[`${ada},lobby_fleet_incident="nats_error"`], 1);
  });

  it('of a consumer are its lag, its events and its gaps', async () => {
    const observe = consumerMetrics('mail', scraped.meter);
    const batch: FleetBatch = { identity_id: 'a', events: [], position: 7, storedAt: 0, lag: 12 };
    observe({ ...batch, gap: { reason: 'silence', at: 0, index: undefined } });
    observe({ kind: 'lag', messages: 4 });
    const text = await scraped.scrape();
    const mail = 'lobby_fleet_consumer="mail"';
    strictEqual(valuesOf(text, 'lobby_fleet_consumer_lag')[mail], 4);
    strictEqual(valuesOf(text, 'lobby_fleet_consumer_gaps_total')[`${mail},lobby_gap_reason="silence"`], 1);
    const age = async () => valuesOf(await scraped.scrape(), 'lobby_fleet_consumer_lag_age')[mail]!;
    const now = performance.now.bind(performance);
    performance.now = () => now() + 90_000;
    try {
      observe({ kind: 'lag', messages: undefined });
      observe({ kind: 'disconnected' });
      ok((await age()) >= 90);
      observe({ kind: 'lag', messages: 0 });
      ok((await age()) < 60);
    } finally {
      performance.now = now;
    }
  });

  it('have the names of docs/metrics.md, which the dashboard and the alarms use', async () => {
    const read = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
    const page = read('docs/metrics.md');
    const documented = new Set(
      [...page.matchAll(/^\| `(lobby\.[\w.]+)`\s+\| (\w+)/gm)].map(
        ([, name, type]) => name!.replaceAll('.', '_') + (type === 'counter' ? '_total' : ''),
      ),
    );
    const rules = read('examples/metrics/alerts.yaml');
    const dashboard = read('examples/metrics/fleet-dashboard.json');
    // Labels stand in braces, in parentheses after `by` and `on`, and in legends.
    const withoutLabels = (rules + dashboard)
      .replace(/\{[^{}"]*?=.*?\}|\{\{.*?\}\}/g, '')
      .replace(/\b(?:by|on) \(.*?\)/g, '');
    const used = new Set(withoutLabels.match(/\blobby_\w+/g));
    ok(used.size > 12, `${used.size} names`);
    deepStrictEqual(
      [...used].filter(name => !documented.has(name)),
      [],
    );
    const queries = [...page.slice(page.indexOf('## Alerts')).matchAll(/^\| `(.+?)` /gm)].map(
      ([, query]) => query,
    );
    deepStrictEqual(
      [...rules.matchAll(/expr: (.+)/g)].map(([, query]) => query),
      queries,
    );
    fleetMetrics('ada', scraped.meter)({ kind: 'heartbeat', heartbeat, stored: true });
    const measured = new Set((await scraped.scrape()).match(/^lobby_fleet_\w+(?=\{)/gm));
    deepStrictEqual(
      [...measured].filter(name => !documented.has(name)),
      [],
    );
  });

  it('of two gates on one meter are told apart by their names', async () => {
    const figures = { ...NO_FIGURES, refused: { busy: 3 } };
    gateMetrics('north', scraped.meter)({ ...figures, admitted: 5 });
    gateMetrics('south', scraped.meter)({ ...figures, admitted: 2 });
    const text = await scraped.scrape();
    const admitted = valuesOf(text, 'lobby_gate_admitted_total');
    deepStrictEqual([admitted['lobby_gate_name="north"'], admitted['lobby_gate_name="south"']], [5, 2]);
    match(text, /lobby_gate_refused_total\{lobby_gate_name="south",lobby_gate_reason="busy"[^}]*\} 3/);
  });

  it('go to the meter of the process if none is given', async () => {
    const { meter } = scraped;
    metrics.setGlobalMeterProvider({ getMeter: () => meter });
    try {
      gateMetrics()({ ...NO_FIGURES, admitted: 1 });
    } finally {
      metrics.disable();
    }
    match(await scraped.scrape(), /^lobby_gate_admitted_total/m);
  });
});
