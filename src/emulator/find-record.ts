import { describe, InputError } from '../error/index.js';

/** What the world holds under an id; throws an `InputError` where it holds nothing. */
export function findRecord<R>(records: ReadonlyMap<string, R>, argument: string, id: string): R {
  const record = records.get(id);
  if (!record) throw new InputError(argument, 'one that this emulator has given out', describe(id));
  return record;
}
