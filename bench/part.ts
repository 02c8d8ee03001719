// The process of one part. It sends its figures to the process that started it.
import type { PartName } from './part-name.js';
import { bounded, type Figure, type Report, type Table } from './report.js';

const [, , name, watches] = process.argv;

const parts: Record<PartName, (report: Report) => Promise<void>> = {
  requests: async report => (await import('./requests.js')).benchRequests(report),
  'open-watches': async report =>
    (await import('./open-watches.js')).benchOpenWatches(report, Number(watches)),
  'other-watches': async report =>
    (await import('./open-watches.js')).benchOtherWatches(report, Number(watches)),
  stops: async report => (await import('./stops.js')).benchStops(report),
  peers: async report => (await import('./peers-bench.js')).benchPeers(report),
  decode: async report => (await import('./decode.js')).benchDecode(report),
  redact: async report => (await import('./redact.js')).benchRedact(report),
  latency: async report => (await import('./latency.js')).benchLatency(report),
  throughput: async report => (await import('./throughput.js')).benchThroughput(report),
  members: async report => (await import('./members.js')).benchMembers(report),
  feed: async report => (await import('./feed.js')).benchFeed(report),
  roster: async report => (await import('./roster.js')).benchRoster(report),
  metrics: async report => (await import('./metrics.js')).benchMetrics(report),
  loading: async report => (await import('./loading.js')).benchLoading(report),
  'angular-app': async report => (await import('./angular-app.js')).benchAngularApp(report),
  leaks: async report => (await import('./leaks.js')).benchLeaks(report),
  gate: async report => (await import('./gate.js')).benchGate(report),
  admissions: async report => (await import('./admissions.js')).benchAdmissions(report),
  'besieged-gate': async report => (await import('./besieged-gate.js')).benchBesiegedGate(report),
  'hostile-upgrades': async report => (await import('./hostile-upgrades.js')).benchHostileUpgrades(report),
  players: async report => (await import('./players.js')).benchPlayers(report),
};

// Whoever waits for the figures is gone.
const giveUp = () => process.exit(1);
process.on('disconnect', giveUp);

const send = (message: string | Figure | Table) => void process.send?.(message);
await parts[name as PartName]({
  heading: send,
  add: send,
  table: (heading, rows) => send({ heading, rows }),
  row: (name, value, unit, bound) => send({ name, value, unit, ...bounded(bound) }),
});
// From here on it has to end by itself: what a benchmark leaves open would keep it alive.
process.off('disconnect', giveUp);
process.disconnect();
