import type { FleetStatus, FleetStream, FleetWorkerStatus } from '../../../integrations/fleet/index.js';

/** What an operator should see to. */
export interface FleetProblem {
  /** A worker, a consumer, a stream, or the fleet. */
  readonly of: string;
  readonly text: string;
}

/** A worker has too much to do if its timers are later than this, in ms. */
const TOO_LATE_MS = 1_000;

/** What is wrong with a fleet. A consumer is late if it has left a message for this long, in ms. */
export function fleetProblems(status: FleetStatus, lateAfter: number): readonly FleetProblem[] {
  return [
    ...status.unknown.map(text => ({ of: 'fleet', text: `is not known: ${text}` })),
    ...sharing(status),
    ...status.workers.flatMap(worker =>
      problemsOfWorker(worker, status.lease).map(text => ({ of: worker.worker, text })),
    ),
    ...status.consumers
      .filter(({ age }) => age > lateAfter)
      .map(({ durable, messages, age }) => ({
        of: durable,
        text: `has not handled ${messages} messages, the oldest for ${seconds(age)}`,
      })),
    ...status.streams.flatMap(stream => problemsOfStream(stream, status.streams)),
  ];
}

/** What is wrong between workers. */
function sharing({ workers, shards, unknown }: FleetStatus): readonly FleetProblem[] {
  const texts: string[] = [];
  if (workers.length === 0 && unknown.every(text => !text.startsWith('workers')))
    texts.push('has no worker that is alive');
  const owned = workers.reduce((sum, worker) => sum + worker.shards, 0);
  if (workers.length > 0 && owned < shards)
    texts.push(`has ${shards - owned} of ${shards} shards without a worker`);
  const lists = new Set(workers.flatMap(({ given }) => given ?? []));
  if (lists.size > 1) texts.push('has workers that were given different identities');
  return texts.map(text => ({ of: 'fleet', text }));
}

function problemsOfWorker(worker: FleetWorkerStatus, lease: number): readonly string[] {
  const { age, identities, capacity, live, retrying, rejected, failing, unstored, waiting, late, trial } =
    worker;
  const why = (kind: 'retrying' | 'rejected') => {
    const failure = failing.find(({ is }) => is === kind);
    return failure ? `, such as ${failure.identity_id}: ${failure.error}` : '';
  };
  const without = identities - live - retrying - rejected - unstored - waiting;
  const problems: readonly (readonly [boolean, string])[] = [
    [age > lease / 2, `has been silent for ${seconds(age)}`],
    [trial, 'gets no poll through, so others have its shards'],
    [retrying > 0, `${identitiesOf(retrying)} retrying${why('retrying')}`],
    [rejected > 0, `${identitiesOf(rejected)} rejected by the service${why('rejected')}`],
    [without > 0, `${identitiesOf(without)} without a live poll`],
    [identities > capacity, `has ${identities} identities, and a capacity of ${capacity}`],
    [late > TOO_LATE_MS, `has timers that are late by ${seconds(late)}`],
  ];
  return problems.filter(([is]) => is).map(([, text]) => text);
}

const identitiesOf = (count: number) => (count === 1 ? '1 identity is' : `${count} identities are`);

function problemsOfStream(stream: FleetStream, all: readonly FleetStream[]): readonly FleetProblem[] {
  const { name, replicas, copies, problem } = stream;
  const most = Math.max(...all.map(other => other.replicas));
  const behind = copies.filter(({ isCurrent, isOffline }) => !isCurrent || isOffline);
  const texts = [
    ...(problem === undefined ? [] : [problem]),
    ...(replicas < most ? [`has ${replicas} of the ${most} copies that others have; see setReplicas`] : []),
    ...(copies.length > 0 && !copies.some(({ isLeader }) => isLeader) ? ['has no leader'] : []),
    ...behind.map(
      ({ server, isOffline }) => `has a copy on ${server} that is ${isOffline ? 'offline' : 'not current'}`,
    ),
  ];
  return texts.map(text => ({ of: name, text }));
}

/** A duration in ms, for people. */
export function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 1_000)} s`;
}
