import { catchError, concat, defer, endWith, from, ignoreElements, type Observable } from 'rxjs';
import { settleFailure } from './settle-failure.js';
import type { Turn } from './turn.js';
import type { WatchSettings } from './watch-settings.js';
import type { WatchSignal } from './watch-signal.js';
import type { WatchState } from './watch-state.js';

/** The signals of a turn as they are told, and last the turn that is to be gone on from. */
export type Step<A> = WatchSignal<A> | { readonly kind: 'done'; readonly turn: Turn<A> };

/**
 * Tells a turn: first its signals; then, once its answer is acknowledged, that it is done. An index that is saved in
 * between never runs ahead of the work. Where the acknowledgement fails, nothing is taken over but the status, so that the
 * same answer is asked for again.
 */
export function playTurn<A>(
  before: WatchState<A>,
  turn: Turn<A>,
  settings: WatchSettings<A>,
): Observable<Step<A>> {
  const { signals, toAck } = turn;
  if (!toAck) return from<Step<A>[]>([...signals, { kind: 'done', turn }]);

  return concat(
    from(signals),
    defer(() => from(settings.ack(toAck.answer, toAck.checkpoint))).pipe(
      ignoreElements(),
      endWith<Step<A>>({ kind: 'done', turn }),
      catchError((error: unknown) => {
        // Without an index the same answer cannot be asked for again: what comes until then is missed.
        const gap =
          before.gap ??
          (before.index === undefined ? ({ reason: 'index_missing', index: undefined } as const) : undefined);
        // As if no answer had come: the waits grow longer.
        const { lastAnswer, attempt } = before.status;
        const status = { ...turn.state.status, lastAnswer, attempt };
        const state = { ...before, gap, status };
        const failed = settleFailure(state, error, { kind: 'retry' }, settings);
        return from<Step<A>[]>([...failed.signals, { kind: 'done', turn: { ...failed, why: 'ack' } }]);
      }),
    ),
  );
}
