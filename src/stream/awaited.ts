import { EMPTY, isObservable, type ObservableInput } from 'rxjs';

/** What a callback's doing has to be waited for; whatever else it happens to return, a timer say, means that it is done. */
export function awaited(returned: unknown): ObservableInput<unknown> {
  return isInput(returned) ? returned : EMPTY;
}

function isInput(u: unknown): u is ObservableInput<unknown> {
  if (typeof u !== 'object' || u === null) return false;
  return (
    isObservable(u) || 'then' in u || Symbol.asyncIterator in u || Symbol.iterator in u || '@@observable' in u
  );
}
