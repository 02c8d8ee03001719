import { defer, tap, type OperatorFunction } from 'rxjs';
import { answers, type WatchSignal, type WatchStatus } from '../../stream/index.js';
import { warn } from './terminal/index.js';

/** A shorter wait is not reported, because it is over before anyone has read about it, in ms. */
const NOTABLE_WAIT_MS = 2_000;

/**
 * Reports the trouble of a watch on standard error. It reports each gap, the first of consecutive
 * failures, and the end of the trouble. Emits the answers of the watch.
 *
 * @example
 * client.watchSignals(getMembers, { group_id }).pipe(reportTrouble(), concatMap(print));
 */
export function reportTrouble<A>(report: (line: string) => void = warn): OperatorFunction<WatchSignal<A>, A> {
  return signals$ =>
    defer(() => {
      let isTroubled = false;
      const reportStatus = (status: WatchStatus) => {
        const { state } = status;
        const isFailing = state === 'retrying' || state === 'offline';
        if (isFailing && !isTroubled) report(`retrying${waitOf(status)}: ${reasonOf(status)}`);
        if (state === 'live' && isTroubled) report('live again');
        if (isFailing || state === 'live') isTroubled = isFailing;
      };
      return signals$.pipe(
        tap(signal => {
          if (signal.kind === 'status') reportStatus(signal.status);
          if (signal.kind === 'gap') report(`something may be missing here: ${signal.gap.reason}`);
        }),
        answers(),
      );
    });
}

function reasonOf({ error, hint }: WatchStatus): string {
  const reason = error instanceof Error ? error.message : 'there was no answer in time';
  return hint ? `${reason}; ${hint}` : reason;
}

function waitOf({ nextTry }: WatchStatus): string {
  const wait = (nextTry ?? 0) - Date.now();
  return wait < NOTABLE_WAIT_MS ? '' : ` in ${Math.round(wait / 1000)} s`;
}
