import {
  catchError,
  concatMap,
  last,
  map,
  merge,
  of,
  takeWhile,
  tap,
  timer,
  type Observable,
  type ObservableInput,
  type SchedulerLike,
} from 'rxjs';
import { fieldsOf } from '../error/index.js';
import type { AckDecision } from './watch-config.js';
import { resumePoint } from './resume-point.js';
import type { StatusSignal, WatchStatus } from './watch-signal.js';

/** How long `ack` may take, in ms, before the status says that the watch waits for it. */
const SLOW_ACK_MS = 30_000;

/** How an acknowledgement ended: `ack` completed, decided how the watch goes on, or failed. */
export type Acknowledgement =
  | { readonly kind: 'acknowledged' }
  | { readonly kind: 'decided'; readonly decision: AckDecision }
  | { readonly kind: 'unacknowledged'; readonly error: unknown };

/** Calls `ack`. Emits how that ended. If it takes long, a status is emitted first. */
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
  const slow$ = timer(SLOW_ACK_MS, scheduler).pipe(
    tap(() => {
      isSlow = true;
    }),
    map(() => changed('acknowledging')),
  );
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
  return merge(acked$, slow$).pipe(takeWhile(({ kind }) => kind === 'status', true));
}

function isDecision(value: unknown): value is AckDecision {
  const { watch } = fieldsOf(value);
  return watch === 'end' || watch === 'resume';
}
