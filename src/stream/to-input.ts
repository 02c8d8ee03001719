import { EMPTY, isObservable, type ObservableInput } from 'rxjs';
import type { Guard } from '../error/index.js';

/** What can be subscribed to. */
export const observableInput: Guard<ObservableInput<unknown>> = {
  name: 'an Observable, a promise or an iterable',
  is: (u): u is ObservableInput<unknown> =>
    typeof u === 'object' &&
    u !== null &&
    (isObservable(u) ||
      'then' in u ||
      Symbol.asyncIterator in u ||
      Symbol.iterator in u ||
      '@@observable' in u),
};

/** What has to be waited for after a callback. Whatever else it returned, a timer's id say, means that it is done. */
export function toInput(returned: unknown): ObservableInput<unknown> {
  return observableInput.is(returned) ? returned : EMPTY;
}
