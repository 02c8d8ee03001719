import { metrics, type Attributes, type Meter } from '@opentelemetry/api';
import { asyncScheduler } from 'rxjs';
import type { LogEntry } from '../../client/index.js';
import { isTransportError } from '../../error/index.js';
import { monotonicClock, type WatchLogEntry } from '../../stream/index.js';
import type { RequestLogEntry } from '../../transport/index.js';

/**
 * The bounds of the histogram, in s: those of OpenTelemetry's HTTP conventions, and two more, since
 * the service holds a poll for up to a minute.
 */
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60];

/**
 * Returns a `log` for clients that feeds a meter: durations and errors of requests, polls that are
 * open, how polls end, gaps, and how long the service has been silent, in s. The names are in
 * docs/metrics.md. The attributes of requests are those of OpenTelemetry's HTTP client conventions.
 * No attribute has an id, a path or a token.
 *
 * Call it once, after the SDK has been registered, and give the same function to all clients.
 * Default `meter`: that of the SDK.
 *
 * @example
 * const client = createClient({ url, token, log: clientMetrics() });
 */
export function clientMetrics(meter: Meter = metrics.getMeter('lobby-rx')): (entry: LogEntry) => void {
  // Not the name of the conventions, which an instrumentation of HTTP may have in the same
  // registry.
  const duration = meter.createHistogram('lobby.client.request.duration', {
    unit: 's',
    description: 'How long requests took',
    advice: { explicitBucketBoundaries: DURATIONS },
  });
  const open = meter.createUpDownCounter('lobby.polls.open', {
    unit: '{poll}',
    description: 'Polls that the service is holding',
  });
  const pollEnds = meter.createCounter('lobby.watch.poll_ends', {
    unit: '{poll}',
    description: 'How polls ended',
  });
  const gaps = meter.createCounter('lobby.watch.gaps', {
    unit: '{gap}',
    description: 'Points where events may have been missed',
  });
  const clock = monotonicClock(asyncScheduler);
  let contactAt: number | undefined;
  meter
    .createObservableGauge('lobby.watch.silence', {
      unit: 's',
      description: 'How long no watch has been answered by the service',
    })
    .addCallback(result => {
      if (contactAt !== undefined) result.observe((clock.now() - contactAt) / 1_000);
    });

  const recordRequest = (entry: RequestLogEntry) => {
    if (entry.kind === 'not_sent' || entry.kind === 'foreign') return;
    const isPoll = entry.url.includes('watch_index=');
    if (isPoll) open.add(entry.kind === 'request' ? 1 : -1);
    if (entry.kind === 'request') return;
    duration.record(entry.ms / 1_000, {
      ...serverOf(entry.url),
      ...outcomeOf(entry),
      'http.request.method': entry.method,
      'lobby.poll': isPoll,
    });
  };
  const recordWatch = (entry: WatchLogEntry) => {
    if (entry.kind === 'gap') {
      gaps.add(1, { 'lobby.gap.reason': entry.reason });
      return;
    }
    if (entry.kind !== 'poll_end') return;
    if (entry.why === 'news' || entry.why === 'no_news') contactAt = clock.now();
    pollEnds.add(1, { 'lobby.poll_end.why': entry.why });
  };
  return entry => {
    if ('watchId' in entry) recordWatch(entry);
    else recordRequest(entry);
  };
}

function outcomeOf(
  entry: Exclude<RequestLogEntry, { kind: 'request' | 'not_sent' | 'foreign' }>,
): Attributes {
  if (entry.kind === 'abort') return { 'error.type': 'abort' };
  if (entry.kind === 'failure') {
    const { error } = entry;
    return { 'error.type': isTransportError(error) ? error.reason : '_OTHER' };
  }
  const { status } = entry;
  if (status < 400) return { 'http.response.status_code': status };
  return { 'http.response.status_code': status, 'error.type': String(status) };
}

declare const URL: new (url: string) => {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
};

/** Kept, since a process talks to few servers, and a URL takes long to parse. */
const servers = new Map<string, Attributes>();

function serverOf(url: string): Attributes {
  const startOfHost = url.indexOf('://') + 3;
  const startOfPath = url.indexOf('/', startOfHost);
  const origin = startOfPath === -1 ? url : url.slice(0, startOfPath);
  const known = servers.get(origin);
  if (known) return known;
  const { protocol, hostname, port } = new URL(origin);
  const defaultPort = protocol === 'https:' ? 443 : 80;
  const server = {
    'server.address': hostname,
    'server.port': port === '' ? defaultPort : Number(port),
  };
  servers.set(origin, server);
  return server;
}
