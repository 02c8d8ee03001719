import { Observable } from 'rxjs';
import {
  checkpointOf,
  type Audience,
  type Checkpoint,
  type ResumableWatch,
  type WatchSharing,
  type WatchSignal,
} from '../stream/index.js';

/** How a feed uses a watch that is shared. */
export interface SharedSignalsConfig {
  readonly share: WatchSharing;
  /** Where to begin. */
  readonly from: () => Checkpoint | undefined;
  /** Whether to continue where the last audience has left. */
  readonly resume: boolean;
  readonly now: () => number;
}

/**
 * The signals of a watch that is shared with others, for one audience. What comes while nobody is there is kept, and is the first
 * that the next one gets; after it, the watch continues from there.
 */
export function sharedSignals<A>(
  watch: ResumableWatch<A>,
  { isPresent$, split }: Audience<A>,
  { share, from, resume, now }: SharedSignalsConfig,
): Observable<WatchSignal<A>> {
  let place: Checkpoint | undefined;
  let kept: WatchSignal<A>[] = [];
  let isFirst = true;

  return new Observable(subscriber => {
    if (!resume && !isFirst) {
      kept = place ? [{ kind: 'gap', gap: { reason: 'unwatched', at: now(), index: place.index } }] : [];
      place = undefined;
    }
    if (isFirst) place = from();
    isFirst = false;
    let isEmitting = false;
    const hasAudience = () => isPresent$.value && !subscriber.closed;
    const emit = () => {
      // Whoever takes a signal may leave and come back meanwhile.
      if (isEmitting) return;
      isEmitting = true;
      while (kept.length > 0 && hasAudience()) subscriber.next(kept.shift()!);
      isEmitting = false;
    };
    subscriber.add(isPresent$.subscribe(emit));
    const watching = share(watch, { from: place }).subscribe({
      next: signal => {
        place = checkpointOf(signal) ?? place;
        if (signal.kind === 'status') subscriber.next(signal);
        // One by one: the last one may leave in between.
        else if (signal.kind === 'answer')
          kept.push(...split(signal.answer).map(answer => ({ kind: 'answer', answer }) as const));
        else kept.push(signal);
        emit();
      },
      error: (error: unknown) => subscriber.error(error),
      complete: () => subscriber.complete(),
    });
    subscriber.add(watching);
  });
}
