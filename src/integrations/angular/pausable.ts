import { DOCUMENT } from '@angular/common';
import { effect, EnvironmentInjector, inject, Injector, signal, untracked, type Signal } from '@angular/core';
import { Observable } from 'rxjs';
import { aFunction, aPlainValue, atOnce, checkArgument } from '../../error/index.js';
import { pageEvents } from '../../stream/index.js';
import { debugName } from './debug-name.js';
import { injectFollow } from './inject-follow.js';
import { CLIENT_APP } from './lobby.js';

/** When something that is injected polls nothing, although it is there. */
export interface PauseConfig {
  /**
   * Whether it is paused. It may read signals. While it is paused, it keeps what it shows, its
   * status is `idle`, and it needs no poll. The poll ends the client's `linger` after the last
   * that needs it is paused or destroyed. Then it continues from where it was. Default: never.
   */
  readonly isPaused?: () => boolean;
}

/** Follows a source while it is not paused. Then it emits what `paused` makes of the last value. */
type Pausable = <A>(
  source$: Observable<A>,
  isPaused: PauseConfig['isPaused'],
  paused: (last: A) => A,
) => Observable<A>;

/** Injects what makes a source one that can be paused. */
export function injectPausable(): Pausable {
  // Not the one of a component: Ionic detaches the view of a covered page, and its effects wait.
  const injector = inject(EnvironmentInjector).get(Injector);
  return <A>(source$: Observable<A>, isPaused: PauseConfig['isPaused'], paused: (last: A) => A) => {
    if (isPaused === undefined) return source$;
    checkArgument('isPaused', aFunction, isPaused);
    const decide = atOnce('isPaused', isPaused, aPlainValue);
    return new Observable<A>(subscriber => {
      let last: { readonly value: A } | undefined;
      const follow = () =>
        source$.subscribe({
          next: value => {
            last = { value };
            subscriber.next(value);
          },
          error: (error: unknown) => subscriber.error(error),
          complete: () => subscriber.complete(),
        });
      const pausing = effect(
        onCleanup => {
          if (!decide()) {
            const following = untracked(follow);
            onCleanup(() => following.unsubscribe());
          } else if (last) subscriber.next(paused(last.value));
        },
        { injector, manualCleanup: true },
      );
      return () => pausing.destroy();
    });
  };
}

/**
 * Injects whether the page is hidden, as in a tab that is not shown. It is an `isPaused` for
 * `injectRoster`, `injectFeed` and `injectNotifications`. False on a server.
 *
 * Throws outside of an injection context.
 *
 * @example
 * readonly #isHidden = injectPageHidden();
 * readonly roster = injectRoster(
 *   () => group_id,
 *   () => ({ isPaused: this.#isHidden }),
 * );
 */
export function injectPageHidden(): Signal<boolean> {
  const document = inject(DOCUMENT) as { readonly visibilityState?: string };
  const isHidden = () => document.visibilityState === 'hidden';
  const hidden = signal(isHidden(), debugName('pageHidden'));
  const { zone } = inject(CLIENT_APP);
  injectFollow()(zone.outside(pageEvents('visibilitychange')), () => hidden.set(isHidden()));
  return hidden.asReadonly();
}
