import { positiveInteger } from '../../../error/index.js';
import type { Presence } from '../worker/index.js';
import { MAX_CAPACITY, workerName } from './fleet-names.js';

/** Stands for an empty part of a subject, which NATS does not allow. */
const NONE = '-';

/**
 * The subject under which a worker reports that it is alive. It contains everything that other
 * workers need, so they read no messages.
 */
export function presenceSubject(
  present: string,
  { worker, capacity, trial, addresses, given }: Presence,
): string {
  const from = addresses.map(address => address.toString(36)).join('_') || NONE;
  const list = given ? `${given.count}_${given.hash.toString(36)}` : NONE;
  const tried = trial === undefined ? '' : `.${trial}`;
  return `${presenceOf(present, worker)}${capacity}.${from}.${list}${tried}`;
}

/** The prefix of the subjects of a worker, or of all workers. */
export function presenceOf(present: string, worker?: string): string {
  return `${present}.worker.${worker === undefined ? '' : `${worker}.`}`;
}

/** Reads the subject of a worker. Returns an empty list if no worker makes such a subject. */
export function presenceIn(present: string, subject: string): readonly Presence[] {
  const parts = subject.slice(presenceOf(present).length).split('.');
  const [worker, capacityText, from = '', list = '', tried] = parts;
  const capacity = Number(capacityText);
  if (!workerName.is(worker) || !positiveInteger.is(capacity) || capacity > MAX_CAPACITY) return [];
  const addresses = from === NONE ? [] : from.split('_').map(address => parseInt(address, 36));
  const [countText = '', hashText = ''] = list.split('_');
  const count = parseInt(countText, 10);
  const hash = parseInt(hashText, 36);
  const given = count >= 0 && hash >= 0 ? { count, hash } : undefined;
  const trial = /^\d{1,9}$/.test(tried ?? '') ? Number(tried) : undefined;
  return [{ worker, capacity, trial, addresses, given }];
}

/**
 * Tells one process of a worker to give up everything. It is sent where workers announce that they
 * leave, so it needs no other rights. A process that starts later under the same name is not meant.
 * No worker has a name with a space, so versions without this order ignore it.
 */
export const drainOrder = (instance: string): string => `drain ${instance}`;

export const isDrainOrder = (text: string): boolean => text.startsWith('drain ');
