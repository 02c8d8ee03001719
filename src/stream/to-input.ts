import { EMPTY, isObservable, type ObservableInput } from 'rxjs';
import type { Guard } from '../error/index.js';

/** Anything that RxJS can subscribe to, except strings. */
export const observableInput: Guard<ObservableInput<unknown>> = {
  name: 'an Observable, a promise or an iterable',
  is: (u): u is ObservableInput<unknown> =>
    typeof u === 'object' &&
    u !== null &&
    (isObservable(u) ||
      ('then' in u && typeof u.then === 'function') ||
      Symbol.asyncIterator in u ||
      Symbol.iterator in u ||
      OBSERVABLE in u),
};

/** The method of Observables of other libraries, under the key that RxJS looks for. */
const OBSERVABLE = (Symbol as { readonly observable?: symbol }).observable ?? '@@observable';

/** Converts the return value of a callback to an input for `from`. A value that cannot be subscribed to becomes `EMPTY`. */
export function toInput(returned: unknown): ObservableInput<unknown> {
  return observableInput.is(returned) ? returned : EMPTY;
}
