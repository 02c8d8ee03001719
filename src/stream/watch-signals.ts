import {
  catchError,
  concatMap,
  concatWith,
  connect,
  defer,
  from,
  map,
  NEVER,
  repeat,
  startWith,
  tap,
  throttleTime,
  throwError,
} from 'rxjs';
import type { Observable } from 'rxjs';
import { askOnce } from './ask-once.js';
import { logStep } from './log-step.js';
import { playTurn } from './play-turn.js';
import type { Poll } from './poll.js';
import { rest } from './rest.js';
import { settle } from './settle.js';
import type { Turn } from './turn.js';
import type { WatchConfig } from './watch-config.js';
import { watchSettings } from './watch-settings.js';
import type { WatchSignal } from './watch-signal.js';
import { watchState } from './watch-state.js';

/** Several sources of a wake tell of the same one: being online and being visible again, say. In ms. */
const SAME_WAKE = 1_000;

/**
 * Follows a service that answers by blocking watches, and tells everything that happens, in order: answers that bring
 * something, gaps, changes of status. Cold: each subscription is a watch of its own, with an index of its own, and one
 * poll in flight at the most.
 *
 * It never completes. It ends only with an error that no further poll can mend, as `judge` says; all else is retried.
 * Unsubscribing aborts the poll at once. {@link watch} keeps the answers alone.
 *
 * Throws an `InputError` where the config cannot be meant.
 *
 * @example
 * watchSignals(index => ajax.getJSON(`/changes?since=${index ?? ''}`)).subscribe(signal => {
 *   if (signal.kind === 'gap') reload();
 * });
 */
export function watchSignals<A>(poll: Poll<A>, config: WatchConfig<A> = {}): Observable<WatchSignal<A>> {
  const settings = watchSettings(config);
  return defer(() => {
    const memory = settings.memory();
    let turn: Turn<A> = { signals: [], state: watchState(settings), wait: 0, why: 'start' };

    const loop = (wake$: Observable<unknown>): Observable<WatchSignal<A>> =>
      defer(() => askOnce(poll, turn.state.index, wake$, settings)).pipe(
        map(outcome =>
          outcome.kind === 'answer' ? { ...outcome, answer: memory.trim(outcome.answer) } : outcome,
        ),
        concatMap(outcome => playTurn(turn.state, settle(turn.state, outcome, settings), settings)),
        tap(step => logStep(step, settings)),
        concatMap(step => {
          if (step.kind !== 'done') return [step];
          turn = step.turn;
          if (turn.toAck) memory.add(turn.toAck.answer);
          return turn.end ? throwError(() => turn.end?.error) : [];
        }),
        repeat({ delay: () => rest(turn, wake$, settings) }),
        startWith({ kind: 'status', status: turn.state.status } as const),
      );

    return from(settings.wake$).pipe(
      // The watch outlives its wake source: without one it only hears later that the machine is back.
      catchError(() => NEVER),
      concatWith(NEVER),
      throttleTime(SAME_WAKE, settings.scheduler),
      connect(loop),
    );
  });
}
