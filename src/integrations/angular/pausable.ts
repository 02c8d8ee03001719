import { DOCUMENT } from '@angular/common';
import { effect, EnvironmentInjector, inject, Injector, signal, untracked, type Signal } from '@angular/core';
import { Observable } from 'rxjs';
import { aFunction, aPlainValue, atOnce, checkArgument } from '../../error/index.js';
import { idle, pageEvents, type WatchStatus } from '../../stream/index.js';
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

/** Follows states while they are not paused. Then the last one is emitted as `idle`. */
type Pausable = <A extends { readonly status: WatchStatus }>(
  state$: Observable<A>,
  isPaused: PauseConfig['isPaused'],
) => Observable<A>;

/** Injects what makes states pausable. */
export function injectPausable(): Pausable {
  // Not the one of a component: Ionic detaches the view of a covered page, and its effects wait.
  const injector = inject(EnvironmentInjector).get(Injector);
  const { scheduler } = inject(CLIENT_APP);
  return <A extends object>(state$: Observable<A>, isPaused: PauseConfig['isPaused']) => {
    if (!isPaused) return state$;
    checkArgument('isPaused', aFunction, isPaused);
    const decide = atOnce('isPaused', isPaused, aPlainValue);
    return new Observable<A>(subscriber => {
      let last: A | undefined;
      const follow = () =>
        state$.subscribe({
          next: state => {
            last = state;
            subscriber.next(state);
          },
          complete: () => subscriber.complete(),
        });
      const pausing = effect(
        onCleanup => {
          if (!decide()) {
            const following = untracked(follow);
            onCleanup(() => following.unsubscribe());
          } else if (last) subscriber.next({ ...last, status: idle(scheduler.now()) });
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
