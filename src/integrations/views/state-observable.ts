import {
  Observable,
  Subject,
  takeUntil,
  type Observer,
  type SchedulerLike,
  type Subscriber,
  type Subscription,
} from 'rxjs';
import type { Client } from '../../client/index.js';
import { connecting, type WatchStatus } from '../../stream/index.js';

/**
 * A state that components show. It emits the current value, then each change, but no value that a
 * newer one has already replaced. All subscribers share one watch, which goes on for the client's
 * `linger` ms after the last of them has left. It never fails. If it cannot go on, `status` says
 * why. It completes when its client is closed.
 */
export interface StateObservable<S> extends Observable<S> {
  /** The current value, without a subscription. It is the same object until something changes. */
  readonly value: S;
  /** Polls now, like `client.wake()`. A `closed` state begins again, for all subscribers. */
  reload(): void;
}

declare const console: { warn(text: string): void };

let hasWarned = false;

/** Says once what to do if pages may be rendered here by a client that was not told so. */
function warnOutsideOfPage(): void {
  if (hasWarned || typeof (globalThis as { readonly window?: unknown }).window !== 'undefined') return;
  hasWarned = true;
  console.warn(
    'lobby-rx: A state polls outside of a page. Pass `renders: true` to createClient if this server' +
      ' renders pages, or else `false`. One visitor must not see what another has loaded.',
  );
}

/**
 * A state that is kept up to date while it has subscribers. If its client renders pages, it stays
 * as it is.
 */
export abstract class SharedState<S extends { readonly status: object }>
  extends Observable<S>
  implements StateObservable<S>
{
  #value: S;
  readonly #renders: boolean | undefined;
  /** The subscribers, and the last value that each of them has seen, if any. */
  readonly #seen = new Map<Subscriber<S>, S | undefined>();
  #isEmitting = false;
  #isComplete = false;

  constructor(value: S, { renders }: Pick<Client, 'renders'>) {
    super(subscriber => this.#add(subscriber));
    this.#value = value;
    this.#renders = renders;
  }

  get value(): S {
    return this.#value;
  }

  abstract reload(): void;

  /** The first subscriber has come. */
  protected abstract begin(): void;

  /** The last subscriber has left. */
  protected abstract end(): void;

  protected get isWanted(): boolean {
    return this.#seen.size > 0;
  }

  protected set(value: S): void {
    if (this.#isComplete) return;
    this.#value = value;
    this.#emit();
  }

  /** The client is closed. The last value before that is no longer shown. */
  protected complete(value: S): void {
    if (this.#isComplete) return;
    this.#value = value;
    this.#isComplete = true;
    this.#emit();
  }

  /** Whether its subscribers begin and end something. */
  get #isLive(): boolean {
    return !this.#isComplete && !this.#renders;
  }

  #add(subscriber: Subscriber<S>): void {
    // A subscriber that has left already, as in `forkJoin([EMPTY, state])`, begins and ends
    // nothing.
    if (subscriber.closed) return;
    this.#seen.set(subscriber, undefined);
    subscriber.add(() => {
      this.#seen.delete(subscriber);
      if (!this.isWanted && this.#isLive) this.end();
    });
    if (this.#seen.size === 1 && this.#isLive) {
      if (this.#renders === undefined) warnOutsideOfPage();
      this.begin();
    }
    this.#emitTo(subscriber);
    if (!this.#isEmitting) this.#emit();
  }

  /**
   * Emits to all subscribers. A change that one of them makes is emitted to all once that one
   * returns, so that none sees it before the value that it replaces.
   */
  #emit(): void {
    if (this.#isEmitting) return;
    this.#isEmitting = true;
    let emitted: S;
    do {
      emitted = this.#value;
      for (const subscriber of [...this.#seen.keys()]) this.#emitTo(subscriber);
    } while (emitted !== this.#value);
    this.#isEmitting = false;
    if (!this.#isComplete) return;
    for (const subscriber of [...this.#seen.keys()]) subscriber.complete();
  }

  #emitTo(subscriber: Subscriber<S>): void {
    if (!this.#seen.has(subscriber) || this.#seen.get(subscriber) === this.#value) return;
    this.#seen.set(subscriber, this.#value);
    subscriber.next(this.#value);
  }
}

/**
 * Subscribes to a source until a subscription is closed, even by a value that the source emits
 * while it is being subscribed to.
 */
export function subscribeWhileOpen<T>(
  subscription: Subscription,
  source$: Observable<T>,
  { next, error, complete }: Observer<T>,
): void {
  const stop$ = new Subject<void>();
  subscription.add(() => stop$.next());
  source$.pipe(takeUntil(stop$)).subscribe({
    next,
    error,
    complete: () => {
      if (!subscription.closed) complete();
    },
  });
}

/** The status after a watch has ended, with an error or because its client is closed. */
export function closed(scheduler: SchedulerLike, error?: unknown): WatchStatus {
  return { ...connecting(scheduler.now()), state: 'closed', error };
}
