import { DestroyRef, inject } from '@angular/core';
import { Subscription, type Observable } from 'rxjs';

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
