import { isPlatformServer } from '@angular/common';
import { DestroyRef, inject, PLATFORM_ID } from '@angular/core';
import { EMPTY, Subscription, type Observable } from 'rxjs';
import { LOBBY_APP } from './lobby.js';

/** Subscribes to a stream of a feed. */
export type Follow = <A>(source$: Observable<A>, next: (value: A) => void) => Subscription;

/** Follows a feed outside of the zone for as long as what injects this lives, and on a server not at all. */
export function injectFollow(): Follow {
  const { life } = inject(LOBBY_APP);
  const isServer = isPlatformServer(inject(PLATFORM_ID));
  const following = new Subscription();
  inject(DestroyRef).onDestroy(() => following.unsubscribe());
  return (source$, next) => {
    // The status of the feed has its error.
    const observer = { next, error: () => undefined };
    const subscription = life.outside(isServer ? EMPTY : source$).subscribe(observer);
    following.add(subscription);
    return subscription;
  };
}
