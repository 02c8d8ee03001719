import {
  asyncScheduler,
  connect,
  defer,
  distinctUntilChanged,
  filter,
  last,
  map,
  merge,
  mergeMap,
  NEVER,
  switchMap,
  takeUntil,
  tap,
  throwError,
  timer,
  withLatestFrom,
  type MonoTypeOperatorFunction,
  type OperatorFunction,
  type SchedulerLike,
} from 'rxjs';
import { answers, type StatusSignal, type WatchSignal, type WatchStatus } from '../../stream/index.js';
import { EXIT, ExitError, exitCodeOf } from './exit-code.js';
import { warn } from './terminal/index.js';

/** A shorter wait is not reported, because it is over before anyone has read about it, in ms. */
const NOTABLE_WAIT_MS = 2_000;
/** How often trouble that lasts is reported again, in ms. */
const EVERY_MS = 60_000;

/** How the trouble of a watch is reported. */
export interface TroubleConfig {
  /** Takes each line. By default it goes to standard error. */
  readonly report?: (line: string) => void;
  /** A question to add as long as the service has not answered: what may be wrong with the call. */
  readonly question?: string | undefined;
  readonly scheduler?: SchedulerLike;
}

/**
 * Reports the trouble of a watch on standard error: each gap, the first of consecutive failures,
 * and the end of the trouble. While the trouble lasts, a failure is also reported if the last
 * report was a minute ago or more. Emits the answers of the watch.
 *
 * @example
 * client.watchSignals(getMembers, { group_id }).pipe(reportTrouble(), concatMap(print));
 */
export function reportTrouble<A>(config: TroubleConfig = {}): OperatorFunction<WatchSignal<A>, A> {
  return signals$ =>
    defer(() => {
      const reports = new TroubleReports(config);
      return signals$.pipe(
        tap(signal => reports.take(signal)),
        answers(),
      );
    });
}

class TroubleReports {
  readonly #report: (line: string) => void;
  readonly #scheduler: SchedulerLike;
  #question: string | undefined;
  /** When the trouble began. `undefined` if there is none. */
  #since: number | undefined;
  #reportedAt = 0;

  constructor({ report = warn, question, scheduler = asyncScheduler }: TroubleConfig) {
    this.#report = report;
    this.#scheduler = scheduler;
    this.#question = question;
  }

  take(signal: WatchSignal<unknown>): void {
    if (signal.kind === 'status') this.#takeStatus(signal.status);
    if (signal.kind === 'gap') this.#report(`something may be missing here: ${signal.gap.reason}`);
  }

  #takeStatus(status: WatchStatus): void {
    if (isFailing(status)) this.#takeFailure(status);
    else if (status.state === 'live') this.#takeContact();
  }

  #takeFailure(status: WatchStatus): void {
    const now = this.#scheduler.now();
    const isFirst = this.#since === undefined;
    this.#since ??= now;
    if (!isFirst && now - this.#reportedAt < EVERY_MS) return;
    this.#reportedAt = now;
    const duration = isFirst ? '' : `, for ${Math.round((now - this.#since) / 1_000)} s now`;
    const question = this.#question === undefined ? '' : `; ${this.#question}`;
    this.#report(`retrying${waitOf(status, now)}${duration}: ${reasonOf(status)}${question}`);
  }

  #takeContact(): void {
    if (this.#since !== undefined) this.#report('live again');
    this.#since = undefined;
    this.#question = undefined;
  }
}

/**
 * Fails once the trouble of a watch has lasted for `time` ms, with an exit code that says whether
 * the service was reached. With `undefined`, it never does.
 */
export function giveUpAfter<A>(
  time: number | undefined,
  scheduler: SchedulerLike = asyncScheduler,
): MonoTypeOperatorFunction<WatchSignal<A>> {
  return connect(signals$ => {
    if (time === undefined) return signals$;
    const status$ = signals$.pipe(
      filter((signal): signal is StatusSignal => signal.kind === 'status'),
      map(({ status }) => status),
    );
    const tooLong$ = status$.pipe(
      filter(status => isFailing(status) || status.state === 'live'),
      map(isFailing),
      distinctUntilChanged(),
      switchMap(isTroubled => (isTroubled ? timer(time, scheduler) : NEVER)),
      withLatestFrom(status$),
      mergeMap(([, status]) => throwError(() => gaveUp(status, time))),
      takeUntil(signals$.pipe(last(undefined, undefined))),
    );
    return merge(signals$, tooLong$);
  });
}

function gaveUp(status: WatchStatus, time: number): ExitError {
  const code = status.error === undefined ? EXIT.unreachable : exitCodeOf(status.error);
  return new ExitError(`gave up after ${Math.round(time / 1_000)} s: ${reasonOf(status)}`, code);
}

function isFailing({ state }: WatchStatus): boolean {
  return state === 'retrying' || state === 'offline';
}

function reasonOf({ error, hint }: WatchStatus): string {
  const reason = error instanceof Error ? error.message : 'there was no answer in time';
  return hint ? `${reason}; ${hint}` : reason;
}

function waitOf({ nextTry }: WatchStatus, now: number): string {
  const wait = (nextTry ?? 0) - now;
  return wait < NOTABLE_WAIT_MS ? '' : ` in ${Math.round(wait / 1000)} s`;
}
