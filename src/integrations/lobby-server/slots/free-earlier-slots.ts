import {
  BehaviorSubject,
  bufferCount,
  concat,
  concatMap,
  defer,
  ignoreElements,
  map,
  mergeMap,
  tap,
  timer,
  type Observable,
  type SchedulerAction,
  type SchedulerLike,
  type Subscription,
} from 'rxjs';
import type { FreeSlotReason, GateReport } from '../report/index.js';
import { createFreeSlot } from './free-slot.js';
import type { SlotFolder } from './slot-folder.js';

/**
 * How long a start waits, in ms, before it frees the slots about which the service has not
 * answered. A running gate waits as long: for the answer, and for the player to come again.
 */
const UNRESOLVED_MS = 25_000;

/**
 * Frees the slots that an earlier process of this gate has left. This keeps no process running that
 * has nothing else to do. The remaining slots are freed at the next start.
 */
export function freeEarlierSlots(
  files: SlotFolder,
  freeSlot: (player_token: string) => Observable<unknown>,
  report: GateReport,
  foreground: SchedulerLike,
): void {
  const scheduler = inBackground(foreground);
  const free = createFreeSlot(
    { freeSlot, freeSlotTimeout: Infinity, report, scheduler },
    new BehaviorSubject(false),
  );
  const freeAll = (why: FreeSlotReason, names: () => readonly string[]) =>
    aFewAtATime(names, scheduler).pipe(
      tap(name => {
        const token = files.readLeft(name, file => report.onSetAside(file));
        if (token === undefined) files.removeEmpty();
        else free(token, why, () => files.removeEmpty());
      }),
    );
  concat(
    freeAll('left', () => files.leftNames('in', 'out')),
    timer(UNRESOLVED_MS, scheduler).pipe(ignoreElements()),
    freeAll('unresolved', () => files.leftNames('pending', 'unresolved')),
  ).subscribe();
}

/** How many files are read at a time at the start, so that other work does not wait for long. */
const FILES_AT_ONCE = 8;

/** The names of files, a few at a time. */
function aFewAtATime(names: () => readonly string[], scheduler: SchedulerLike): Observable<string> {
  return defer(names).pipe(
    bufferCount(FILES_AT_ONCE),
    concatMap(some => timer(0, scheduler).pipe(map(() => some))),
    mergeMap(some => some),
  );
}

/** A scheduler whose timers do not keep a process running that has nothing else to do. */
function inBackground(scheduler: SchedulerLike): SchedulerLike {
  const schedule: Schedule = (work, delay, state) => {
    const action = scheduler.schedule(work, delay, state);
    (action as { readonly id?: Partial<NodeJS.Timeout> }).id?.unref?.();
    return action;
  };
  // It inherits, so that it still counts as one that runs in real time.
  return Object.create(scheduler, { schedule: { value: schedule } }) as SchedulerLike;
}

type Schedule = <T>(
  work: (this: SchedulerAction<T>, state?: T) => void,
  delay?: number,
  state?: T,
) => Subscription;
