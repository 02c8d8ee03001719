import { Observable, type MonoTypeOperatorFunction } from 'rxjs';

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
