import {
  catchError,
  concatMap,
  last,
  Observable,
  of,
  timer,
  type ObservableInput,
  type SchedulerLike,
} from 'rxjs';
import { fieldsOf } from '../error/index.js';
import { reportSlow } from './awaited.js';
import type { AckDecision } from './watch-config.js';
import { resumePoint } from './resume-point.js';
import type { StatusSignal, WatchStatus } from './watch-signal.js';

/** How an acknowledgement ended: `ack` completed, decided how the watch goes on, or failed. */
export type Acknowledgement =
  | { readonly kind: 'acknowledged' }
  | { readonly kind: 'decided'; readonly decision: AckDecision }
  | { readonly kind: 'unacknowledged'; readonly error: unknown };

/**
 * Calls `ack`. Emits how that ended, from which `transition/after-ack.ts` follows. If it takes
 * long, a status is emitted first.
 */
export function acknowledge(
  ack: () => ObservableInput<unknown>,
  status: WatchStatus,
  scheduler: SchedulerLike,
): Observable<StatusSignal | Acknowledgement> {
  let isSlow = false as boolean;
  const changed = (state: WatchStatus['state']): StatusSignal => ({
    kind: 'status',
    status: { ...status, state, since: scheduler.now() },
  });
  // `ack` is called in a later macrotask. If a subscriber threw, RxJS rethrows the error in an
  // earlier one, and Node ends before anything is saved.
  const acked$ = timer(0, scheduler).pipe(
    concatMap(ack),
    last(isDecision, undefined),
    concatMap((decision: AckDecision | undefined): readonly (StatusSignal | Acknowledgement)[] => {
      const settled = isSlow && decision?.watch !== 'end' ? [changed(status.state)] : [];
      if (!decision) return [...settled, { kind: 'acknowledged' }];
      // `ack` may have decided to resume from something that is no index.
      if (decision.watch === 'resume') resumePoint(decision.from, undefined, 'from of the decision of ack');
      return [...settled, { kind: 'decided', decision }];
    }),
    catchError((error: unknown) => of({ kind: 'unacknowledged', error } as const)),
  );
  return new Observable(subscriber => {
    const onSlow = () => {
      isSlow = true;
      subscriber.next(changed('acknowledging'));
    };
    acked$.pipe(reportSlow(onSlow, scheduler)).subscribe(subscriber);
  });
}

function isDecision(value: unknown): value is AckDecision {
  const { watch } = fieldsOf(value);
  return watch === 'end' || watch === 'resume';
}
