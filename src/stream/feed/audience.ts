import {
  concatMap,
  endWith,
  from,
  Observable,
  of,
  Subscription,
  takeWhile,
  timer,
  type MonoTypeOperatorFunction,
  type SchedulerLike,
  type Subscriber,
} from 'rxjs';
import { DirectState } from '../../direct/index.js';
import type { WatchSignal } from '../watch-signal.js';
import { runWhile } from './run-while.js';

/** The subscribers of a feed, as its watch sees them. */
export interface Audience<A> {
  /**
   * Whether there is no subscriber. Emits at once, and at each change. While it is `true`, answers
   * are queued.
   */
  readonly isAbsent$: Observable<boolean>;
  /**
   * Whether to poll: while there is a subscriber, and for `linger` ms after that. Emits at once,
   * and at each change, after `isAbsent$`.
   */
  readonly isActive$: Observable<boolean>;
  /**
   * Splits an answer into parts. They are delivered one by one, since the last subscriber may leave
   * in between.
   */
  readonly split: (answer: A) => readonly A[];
  /**
   * Emits signals part by part, and queues the rest while the audience is absent. Ends with `taken`
   * once all have been emitted. Ends with `expired` if `isExpired` says so when the audience comes
   * back.
   */
  readonly deliver: (
    signals: readonly WatchSignal<A>[],
    isExpired: () => boolean,
  ) => Observable<WatchSignal<A> | 'taken' | 'expired'>;
}

/**
 * The audience of a feed. It is a value, so that a page with only `watch` does not load the code
 * that queues answers.
 */
export function audienceOf<A>({ isAbsent$, isActive$, split }: Omit<Audience<A>, 'deliver'>): Audience<A> {
  const deliver: Audience<A>['deliver'] = (signals, isExpired) => {
    if (signals.every(({ kind }) => kind === 'checkpoint')) return of(...signals, 'taken' as const);
    return from(signals).pipe(
      concatMap((signal): readonly (WatchSignal<A> | 'expired')[] => partsOf(signal, split)),
      bufferWhile<WatchSignal<A> | 'expired'>(isAbsent$, {
        replacedBy: () => (isExpired() ? ['expired'] : undefined),
      }),
      endWith('taken' as const),
      takeWhile(part => typeof part !== 'string', true),
    );
  };
  return { isAbsent$, isActive$, split, deliver };
}

/**
 * Runs a watch that knows no audience, while this audience is active. Signals that come while it is
 * absent are queued, except for the status. `drops` is called when the audience comes back, and
 * returns whether the queued signals are dropped.
 */
export function queuedSignals<A>(
  run: () => Observable<WatchSignal<A>>,
  audience: Omit<Audience<A>, 'deliver'>,
  drops: (queuedCount: number) => boolean = () => false,
): Observable<WatchSignal<A>> {
  return runWhile(audience.isActive$, run).pipe(
    concatMap(signal => partsOf(signal, audience.split)),
    bufferWhile(audience.isAbsent$, {
      bypasses: ({ kind }) => kind === 'status',
      replacedBy: queuedCount => (drops(queuedCount) ? [] : undefined),
    }),
  );
}

/** An answer in parts, the last of which has its checkpoint. Any other signal stays as it is. */
function partsOf<A>(signal: WatchSignal<A>, split: Audience<A>['split']): readonly WatchSignal<A>[] {
  if (signal.kind !== 'answer') return [signal];
  const parts = split(signal.answer);
  return parts.map((answer, i) =>
    i === parts.length - 1 ? { ...signal, answer } : { kind: 'answer', answer },
  );
}

/** The options of {@link bufferWhile}. */
interface BufferOptions<T> {
  /** Whether a value is emitted at once instead of buffered. Default: never. */
  readonly bypasses?: (value: T) => boolean;
  /**
   * Called with the number of buffered values, when they may be emitted. If it returns an array,
   * that is emitted instead of them.
   */
  readonly replacedBy?: (queuedCount: number) => T[] | undefined;
}

/**
 * Buffers values while the last value of `isPaused$` is `true`. When it is `false` again, emits
 * them in order and without loss. A value that is emitted may change `isPaused$`. Then the rest
 * stays in the buffer. Completes and fails as the source does, once the buffer is empty.
 */
export function bufferWhile<T>(
  isPaused$: Observable<boolean>,
  { bypasses, replacedBy }: BufferOptions<NoInfer<T>> = {},
): MonoTypeOperatorFunction<T> {
  return source =>
    new Observable(subscriber => {
      let buffer: T[] = [];
      let emitted = 0;
      let isPaused = false;
      let isEmitting = false;
      let end: (() => void) | undefined;
      const emit = () => {
        // A value that is emitted may end a pause, or bring the next value of the source.
        if (isEmitting) return;
        isEmitting = true;
        while (emitted < buffer.length && !isPaused && !subscriber.closed)
          subscriber.next(buffer[emitted++]!);
        isEmitting = false;
        if (emitted < buffer.length) return;
        buffer = [];
        emitted = 0;
        end?.();
      };
      const replace = () => {
        const values = replacedBy?.(buffer.length - emitted);
        if (!values) return;
        buffer = values;
        emitted = 0;
      };
      const finish = (how: () => void) => {
        end = how;
        emit();
      };
      subscriber.add(
        isPaused$.subscribe({
          next: isNowPaused => {
            if (isPaused && !isNowPaused) replace();
            isPaused = isNowPaused;
            emit();
          },
          error: (error: unknown) => subscriber.error(error),
        }),
      );
      subscriber.add(
        source.subscribe({
          next: value => {
            if (bypasses?.(value)) return subscriber.next(value);
            buffer.push(value);
            emit();
          },
          error: (error: unknown) => finish(() => subscriber.error(error)),
          complete: () => finish(() => subscriber.complete()),
        }),
      );
    });
}

/** Counts the subscribers of a feed, and lingers after the last one has left. */
export class SubscriberCount {
  /** Whether there is no subscriber. */
  readonly isAbsent$ = new DirectState(true);
  /**
   * Whether to poll: while there is a subscriber, and for `linger` ms after that. It changes after
   * `isAbsent$`.
   */
  readonly isActive$ = new DirectState(false);
  readonly #linger: number;
  readonly #scheduler: SchedulerLike;
  readonly #onPause: () => void;
  #subscribers = 0;
  #lingering = Subscription.EMPTY;

  /** `onPause` is called when there has been no subscriber for `linger` ms. */
  constructor(linger: number, scheduler: SchedulerLike, onPause: () => void) {
    this.#linger = linger;
    this.#scheduler = scheduler;
    this.#onPause = onPause;
  }

  /**
   * Counts a subscriber until it leaves. Returns whether the feed still has a subscriber, since the
   * queued events may be enough for this one.
   */
  join(subscriber: Subscriber<never>): boolean {
    subscriber.add(() => this.#leave());
    this.#subscribers++;
    this.#lingering.unsubscribe();
    // This emits the queued events.
    if (this.isAbsent$.value) this.isAbsent$.next(false);
    if (this.#subscribers > 0 && !this.isActive$.value) this.isActive$.next(true);
    return this.#subscribers > 0;
  }

  /** The feed has ended. Without a subscriber, it does not linger. */
  end(): void {
    if (this.#subscribers > 0) return;
    this.#lingering.unsubscribe();
    if (this.isActive$.value) this.isActive$.next(false);
  }

  #leave(): void {
    this.#subscribers--;
    if (this.#subscribers > 0) return;
    this.isAbsent$.next(true);
    if (this.#linger === 0) this.#pause();
    else this.#lingering = timer(this.#linger, this.#scheduler).subscribe(() => this.#pause());
  }

  #pause(): void {
    this.isActive$.next(false);
    this.#onPause();
  }
}
