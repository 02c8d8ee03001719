import { DestroyRef, ErrorHandler, inject } from '@angular/core';
import { Subscription, type Observable } from 'rxjs';
import { isSubscription } from '../../error/index.js';
import { awaited } from '../../stream/index.js';
import { CLIENT_APP } from './lobby.js';

/** Subscribes to a stream that never ends. */
export type Follow = <A>(source$: Observable<A>, next: (value: A) => void) => Subscription;

/** Follows streams until the component or service that injects this is destroyed. */
export function injectFollow(): Follow {
  const following = new Subscription();
  inject(DestroyRef).onDestroy(() => following.unsubscribe());
  return (source$, next) => {
    if (following.closed) return Subscription.EMPTY;
    const subscription = source$.subscribe(next);
    following.add(subscription);
    return subscription;
  };
}

/** Calls a handler inside the zone. `name` is that of the handler in errors. */
export type Handle = (name: string, call: () => unknown) => void;

/**
 * Makes the function that calls handlers. Whatever they return is waited for, and its errors go to
 * Angular's `ErrorHandler`.
 */
export function injectHandle(): Handle {
  const { zone } = inject(CLIENT_APP);
  const errors = inject(ErrorHandler);
  const begun = (returned: unknown) => {
    // What a handler has subscribed to is under way, and reports its errors itself.
    return isSubscription(returned) ? undefined : returned;
  };
  return (name, call) =>
    zone.inside(() =>
      awaited(name, () => begun(call())).subscribe({
        error: (error: unknown) => errors.handleError(error),
      }),
    );
}
