// `npm run test:fleet` disturbs workers in separate processes, a NATS server and a service, each
// way once. It counts the lost events. `npm run chaos:fleet` does so twice with a cluster of three
// NATS servers.
import { parseArgs } from 'node:util';
import { SERVERS, versionOf } from '../nats-server.js';
import { ChaosRun, type ChaosSettings } from './chaos-run.js';
import { disturbancesOf } from './disturbances.js';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '30000' },
    identities: { type: 'string', default: '300' },
    lease: { type: 'string', default: '4000' },
    perSecond: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    cluster: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '1' },
  },
});
const settings: ChaosSettings = {
  events: Number(values.events),
  identities: Number(values.identities),
  lease: Number(values.lease),
  perSecond: Number(values.perSecond),
  seed: Number(values.seed),
  isCluster: values.cluster,
  rounds: Number(values.rounds),
};
// Clusters of 2.9 do not check the expected last message before they append.
const isOld = (program: string) => versionOf(program).startsWith('2.9.');
const programs = settings.isCluster ? SERVERS.filter(program => !isOld(program)) : SERVERS;
if (programs.length === 0) {
  console.error('npm run chaos:fleet: a cluster needs NATS 2.10 or later; set NATS_SERVERS to paths of it');
  process.exit(2);
}

/** Runs with one version of NATS, and returns whether all is well. */
async function isWellOn(program: string): Promise<boolean> {
  const run = await ChaosRun.start(program, settings);
  await run.send(disturbancesOf(run));
  const isWell = await run.isWell();
  await run.end();
  return isWell;
}

const { events, identities, lease, isCluster } = settings;
const where = isCluster ? 'a cluster of 3' : 'one server';
console.log(`${where}, 3 workers, ${identities} identities, ${events} events, a lease of ${lease} ms`);
// They run side by side, because they wait more than they compute.
const results = await Promise.all(programs.map(isWellOn));
process.exit(results.every(Boolean) ? 0 : 1);
