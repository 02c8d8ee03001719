import { finalize, tap, type Observable, type Observer } from 'rxjs';
import type { WatchSignal, WatchStatus } from '../../stream/index.js';

/** From the best to the worst. A watch that has just been started says nothing about the others. */
const STATES: readonly WatchStatus['state'][] = [
  'connecting',
  'live',
  'acknowledging',
  'retrying',
  'offline',
  'closed',
];

/** Makes the signals of several watches into those of one: the worst status, and one gap until there is an answer. */
export interface JointStatus {
  /** Reports the status and the gaps of one of the watches. */
  readonly report: <A>(signals$: Observable<WatchSignal<A>>) => Observable<WatchSignal<A>>;
  /** There is an answer after the gaps so far. */
  readonly onAnswer: () => void;
}

/** Emits the joint signals to an observer. */
export function jointStatus(observer: Pick<Observer<WatchSignal<never>>, 'next'>): JointStatus {
  const statuses = new Map<object, WatchStatus>();
  let last: WatchStatus | undefined;
  let isGapEmitted = false;

  const emitStatus = () => {
    const rank = ({ state }: WatchStatus) => STATES.indexOf(state);
    // Of equals the one that has changed last, which is at the end.
    const worst = [...statuses.values()].reduce<WatchStatus | undefined>(
      (a, b) => (a !== undefined && rank(a) > rank(b) ? a : b),
      undefined,
    );
    if (worst === undefined || worst === last) return;
    const isSame = worst.state === last?.state && worst.nextTry === undefined;
    last = worst;
    if (worst.state === 'live') isGapEmitted = false;
    if (!isSame) observer.next({ kind: 'status', status: worst });
  };

  return {
    report: signals$ => {
      const watch = {};
      return signals$.pipe(
        tap(signal => {
          if (signal.kind === 'status') {
            statuses.delete(watch);
            statuses.set(watch, signal.status);
            emitStatus();
          } else if (signal.kind === 'gap' && !isGapEmitted) {
            isGapEmitted = true;
            observer.next(signal);
          }
        }),
        finalize(() => {
          statuses.delete(watch);
          emitStatus();
        }),
      );
    },
    onAnswer: () => {
      isGapEmitted = false;
    },
  };
}
