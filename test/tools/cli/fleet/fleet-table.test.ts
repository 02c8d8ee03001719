import { deepStrictEqual, strictEqual } from 'node:assert';
import type { FleetStatus, FleetWorkerStatus } from '../../../../src/integrations/fleet/index.js';
import { fleetProblems } from '../../../../src/tools/cli/fleet/fleet-problems.js';
import { fleetTable } from '../../../../src/tools/cli/fleet/fleet-table.js';

const ADA: FleetWorkerStatus = {
  worker: 'ada',
  age: 1_200,
  capacity: 10_000,
  shards: 8,
  identities: 1_000,
  live: 1_000,
  retrying: 0,
  rejected: 0,
  failing: [],
  events: 5,
  unstored: 0,
  waiting: 0,
  late: 3,
  given: '1000 a',
  trial: false,
};

const STREAM = {
  name: 'LOBBY_EVENTS',
  replicas: 1,
  copies: [],
  messages: 5,
  bytes: 2_048,
  maxAge: 60_000,
  maxBytes: -1,
};

const WELL: FleetStatus = {
  fleet: 'lobby',
  shards: 8,
  lease: 10_000,
  workers: [ADA],
  consumers: [{ durable: 'billing', subjects: 'lobby.events.*.*', messages: 0, age: 0 }],
  deliveries: [{ subjects: 'lobby.events.*.*', messages: 0 }],
  streams: [STREAM],
  unknown: [],
};

const problemsOf = (more: Partial<FleetStatus>) =>
  fleetProblems({ ...WELL, ...more }, 60_000).map(({ of, text }) => `${of}: ${text}`);
const ofAda = (more: Partial<FleetWorkerStatus>) => problemsOf({ workers: [{ ...ADA, ...more }] });

describe('fleetTable', () => {
  it('shows workers, consumers and streams in columns', () => {
    strictEqual(
      fleetTable(WELL, []),
      `lobby  8 shards, lease 10 s

worker  beat   shards  identities  live   retrying  rejected  waiting  late
ada     1.2 s  8       1,000       1,000  0         0         0        3 ms

consumer  left  oldest  readers  subjects
billing   0     0.0 s   1        lobby.events.*.*

stream        copies  leader  messages  bytes  keeps
LOBBY_EVENTS  1       -       5         2,048  for 60 s

✔ no problem`,
    );
  });

  it('shows problems, and nothing of what could break a terminal', () => {
    const shown = fleetTable({ ...WELL, workers: [] }, [{ of: 'fleet', text: 'a\u001b[2Jb' }]);
    strictEqual(shown.split('\n').at(-1)!.includes('\u001b'), false);
  });
});

describe('fleetProblems', () => {
  it('has none for a fleet that is well, even while answers are stored and polls wait', () => {
    deepStrictEqual(problemsOf({}), []);
    deepStrictEqual(ofAda({ live: 990, unstored: 4, waiting: 6 }), []);
  });

  it('names what is wrong with a worker', () => {
    const failing = [{ identity_id: 'x', is: 'retrying', error: 'HTTP 503' }] as const;
    deepStrictEqual(ofAda({ live: 998, retrying: 2, failing }), [
      'ada: 2 identities are retrying, such as x: HTTP 503',
    ]);
    deepStrictEqual(ofAda({ live: 999, rejected: 1 }), ['ada: 1 identity is rejected by the service']);
    deepStrictEqual(ofAda({ live: 997 }), ['ada: 3 identities are without a live poll']);
    deepStrictEqual(ofAda({ age: 6_000 }), ['ada: has been silent for 6.0 s']);
    deepStrictEqual(ofAda({ late: 1_500 }), ['ada: has timers that are late by 1.5 s']);
    deepStrictEqual(ofAda({ capacity: 900 }), ['ada: has 1000 identities, and a capacity of 900']);
    deepStrictEqual(ofAda({ trial: true }), ['ada: gets no poll through, so others have its shards']);
    deepStrictEqual(ofAda({ shards: 5 }), ['fleet: has 3 of 8 shards without a worker']);
  });

  it('names what is wrong between workers, and what is not known', () => {
    deepStrictEqual(problemsOf({ workers: [] }), ['fleet: has no worker that is alive']);
    deepStrictEqual(problemsOf({ workers: [], unknown: ['workers: no right'] }), [
      'fleet: is not known: workers: no right',
    ]);
    const ben = { ...ADA, worker: 'ben', shards: 0, given: '999 b' };
    deepStrictEqual(problemsOf({ workers: [ADA, ben] }), [
      'fleet: has workers that were given different identities',
    ]);
  });

  it('names a late consumer, and a stream without all of its copies', () => {
    const consumers = [{ ...WELL.consumers[0]!, messages: 7, age: 61_000 }];
    deepStrictEqual(problemsOf({ consumers }), ['billing: has not handled 7 messages, the oldest for 61 s']);
    const copy = { server: 's2', isLeader: false, isCurrent: false, isOffline: true };
    const streams = [STREAM, { ...STREAM, name: 'LOBBY_ALIVE', replicas: 3, copies: [copy] }];
    deepStrictEqual(problemsOf({ streams }), [
      'LOBBY_EVENTS: has 1 of the 3 copies that others have; see setReplicas',
      'LOBBY_ALIVE: has no leader',
      'LOBBY_ALIVE: has a copy on s2 that is offline',
    ]);
  });
});
