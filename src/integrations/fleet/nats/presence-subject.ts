import { positiveInteger } from '../../../error/index.js';
import type { Presence } from '../worker/index.js';
import { MAX_CAPACITY, workerName } from './fleet-names.js';

/** An empty part of a subject, since NATS allows none. */
const NONE = '-';

/**
 * The subject under which a worker tells that it is alive. All that the others need is in it, so
 * that they read no messages.
 */
export function presenceSubject(present: string, { worker, capacity, addresses, given }: Presence): string {
  const from = addresses.map(address => address.toString(36)).join('_') || NONE;
  const list = given ? `${given.count}_${given.hash.toString(36)}` : NONE;
  return `${presenceOf(present, worker)}${capacity}.${from}.${list}`;
}

/** The prefix of the subjects of a worker, or of all workers. */
export function presenceOf(present: string, worker?: string): string {
  return `${present}.worker.${worker === undefined ? '' : `${worker}.`}`;
}

/** Reads a subject. Returns nothing if somebody has made it up. */
export function presenceIn(present: string, subject: string): readonly Presence[] {
  const [worker, capacityText, from = '', list = ''] = subject.slice(presenceOf(present).length).split('.');
  const capacity = Number(capacityText);
  if (!workerName.is(worker) || !positiveInteger.is(capacity) || capacity > MAX_CAPACITY) return [];
  const addresses = from === NONE ? [] : from.split('_').map(address => parseInt(address, 36));
  const [count, hash] = list.split('_').map((number, i) => parseInt(number, i === 0 ? 10 : 36));
  const given = count !== undefined && hash !== undefined && count + hash >= 0 ? { count, hash } : undefined;
  return [{ worker, capacity, addresses, given }];
}
